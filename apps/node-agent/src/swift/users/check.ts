import { join } from 'node:path'
import { removeManagedFile, writeManagedFile } from '../../machine/managed-file.js'
import { describeFailure } from '../../machine/run-command.js'
import type { RunCommand } from '../../machine/run-command.js'
import type { Reader } from './proxy-process.js'
import type { UserEntry } from './render.js'

export interface Candidate {
  /** The folder that the proxy reads. */
  readonly folder: string
  /** The name that the text would have there. */
  readonly name: string
  /** Null checks the folder without our file. */
  readonly text: string | null
  readonly entries: readonly UserEntry[]
  /** The account with which the proxy reads the folder. */
  readonly reader: Reader
}

const deadlineMs = 60_000

/**
 * Loads the proxy's own program with a file that is not in its folder yet, and compares the users of tempauth with the desired
 * users. Throws a sentence if the proxy would not start or would read a user differently: a reload would end the proxy.
 */
export async function checkCandidate(run: RunCommand, dir: string, candidate: Candidate): Promise<void> {
  const staged = join(dir, 'staged.conf')
  const expected = join(dir, 'expected.json')
  try {
    await writeManagedFile(staged, candidate.text ?? '', 0o600)
    await writeManagedFile(
      expected,
      JSON.stringify(candidate.entries.map(({ login, key, groups }) => [login, key, groups])),
    )
    const { uid, gids } = candidate.reader
    const args = ['-c', program, candidate.folder, candidate.name, staged, expected, String(uid), gids.join()]
    const result = await run('python3', args, { deadlineMs })
    if (result.outcome === 'exited' && result.exitCode === 0 && result.stdout.endsWith('OK\n')) return
    const output = result.outcome === 'exited' ? result.stdout.trim().split('\n').at(-1) : ''
    const reason = masked(output || describeFailure(result), candidate.entries)
    throw new Error(`The proxy would not start with these users, and was not changed: ${reason}`)
  } finally {
    await removeManagedFile(staged)
    await removeManagedFile(expected)
  }
}

function masked(text: string, entries: readonly UserEntry[]): string {
  return entries.reduce((sentence, { key }) => sentence.replaceAll(key, '<key>'), text)
}

/** Its errors do not quote the file, which has keys. */
const program = `
import configparser, gc, json, os, sys
folder, name, staged, expected = sys.argv[1:5]
uid, gids = int(sys.argv[5]), [int(gid) for gid in sys.argv[6].split(',')]

def is_readable(path):
    status = os.stat(path)
    try:
        os.getxattr(path, 'system.posix_acl_access')
        return True
    except OSError:
        bit = 0o400 if status.st_uid == uid else 0o040 if status.st_gid in gids else 0o004
        return uid == 0 or bool(status.st_mode & bit)

def explain(error):
    kind = type(error).__name__
    if isinstance(error, configparser.InterpolationError):
        return '%s: [%s] %s' % (kind, error.section, error.option)
    if isinstance(error, configparser.MissingSectionHeaderError):
        return '%s: %s, line %s' % (kind, error.source, error.lineno)
    if isinstance(error, configparser.ParsingError):
        return '%s: %s, line %s' % (kind, error.source, ', '.join(str(line) for line, _ in error.errors))
    return '%s: %s' % (kind, error)

try:
    from swift.common import utils, wsgi
    from swift.common.middleware.tempauth import TempAuth

    def read_conf_dir(parser, conf_dir):
        files = {f: os.path.join(conf_dir, f) for f in os.listdir(conf_dir) if f.endswith('.conf') and not f.startswith('.')}
        files[name] = staged
        return parser.read([files[f] for f in sorted(files)])

    closed = [path for path in [folder] + [os.path.join(folder, f) for f in os.listdir(folder) if f.endswith('.conf')
              and not f.startswith('.') and f != name] if not is_readable(path)]
    if closed:
        print('its workers may not read %s' % ', '.join(closed))
        sys.exit(1)
    utils.read_conf_dir = read_conf_dir
    utils.readconf(folder)
    conf = wsgi.appconfig(folder, name='proxy-server')
    int(conf['bind_port'])
    app = wsgi.loadapp(folder, global_conf={'log_name': 'roost-check'})
    tempauth = [one for one in gc.get_objects() if isinstance(one, TempAuth)]
    users = tempauth[0].users if tempauth else {}
    wrong = [login for login, key, groups in json.load(open(expected))
             if login not in users or users[login]['key'] != key or users[login]['groups'] != groups]
    if wrong:
        print('tempauth would read these users differently: %s' % ', '.join(wrong[:10]))
        sys.exit(1)
    print('OK')
except Exception as error:
    print(explain(error).replace(staged, os.path.join(folder, name)))
    sys.exit(1)
`
