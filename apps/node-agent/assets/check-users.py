"""Loads Swift's proxy with a staged file of users, and compares what tempauth reads with what is expected.

Arguments: folder, name of the file in it, staged file, expected users as JSON, uid and gids of the proxy's workers.
Prints OK, or one line with the reason. No line quotes the file, which has keys.
"""
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
