// Fails on words that are not plain English of the field; CONTRIBUTING.md says what to write instead.
// language-exceptions.txt lists the words of the API, the protocol and the kernel that stay.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

/** Not permitted anywhere: code, comments, messages and documents. */
const everywhere = /\b(told|lanes?|glances?|anew|meant|figures?|puzzled|greetings?|whom|nobody|clothes)\b/gi
/** Not permitted as a part of an identifier or a file name. */
const inNames = new Set(
  'take takes taken taking place places placed placing hold holds held holding look looks looked looking turn turns turned turning word words tell tells telling note notes noted whole told lane glance meant anew figure figures deps collaborators'.split(
    ' ',
  ),
)
const code = /\.(ts|tsx|mts|js|mjs)$/
const texts = /\.(ts|tsx|css|mts|js|mjs|md|py|sh|prisma|service|conf)$/

/** Lines of `word | pattern of paths | pattern of the line that has it | reason`. */
const exceptions = readFileSync(new URL('language-exceptions.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  .map((line) => line.split(' | '))
  .map(([word, files, content]) => ({ word, files: new RegExp(files), content: new RegExp(content) }))
const only = process.argv.slice(2)

function isExcepted(file, word, line) {
  return exceptions.some((rule) => rule.word === word && rule.files.test(file) && rule.content.test(line))
}

function partsOf(name) {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .map((part) => part.toLowerCase())
}

/** Identifiers of a program: comments, texts and patterns are left out, what `${}` holds is not. */
function identifiers(text) {
  const bare = text
    .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ' '))
    .replaceAll(/(^|[^:'"`\\])\/\/.*$/gm, '$1')
    .replaceAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''")
    .replaceAll(
      /`(?:[^`\\]|\\.)*`/g,
      (template) =>
        [...template.matchAll(/\$\{([^}]*)\}/g)].map((m) => m[1]).join(' ') +
        '\n'.repeat(template.split('\n').length - 1),
    )
    .replaceAll(/(?<=[=(,:!&|?[\s])\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*/g, '//')
  return bare.split('\n').flatMap((line, i) => (line.match(/[A-Za-z_$][\w$]*/g) ?? []).map((name) => [i + 1, name]))
}

const faults = []
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8', maxBuffer: 1 << 26 })
  .trim()
  .split('\n')
  .filter(
    (file) =>
      texts.test(file) &&
      existsSync(file) &&
      !/(^|\/)(golden|fixtures|generated|migrations)\//.test(file) &&
      file !== 'CHANGELOG.md' &&
      !file.startsWith('scripts/checks/'),
  )
  .filter((file) => only.length === 0 || only.some((path) => file.startsWith(path)))
for (const file of files) {
  const lines = readFileSync(file, 'utf8').split('\n')
  const fault = (line, word, where) => {
    if (!isExcepted(file, word, line === 0 ? basename(file) : lines[line - 1]))
      faults.push(`${file}:${line}: '${word}' ${where}`)
  }
  for (const part of partsOf(basename(file))) if (inNames.has(part)) fault(0, part, 'in a file name')
  let isGlossary = false
  lines.forEach((line, i) => {
    if (/<!-- language:(on|off) -->/.test(line)) isGlossary = line.includes('off')
    if (isGlossary) return
    for (const [word] of line.matchAll(everywhere)) fault(i + 1, word.toLowerCase(), 'is not plain English')
  })
  if (!code.test(file)) continue
  for (const [line, name] of identifiers(lines.join('\n')))
    for (const part of partsOf(name).filter((each) => inNames.has(each))) fault(line, part, `in the name ${name}`)
}
for (const fault of faults) process.stderr.write(`${fault}\n`)
if (faults.length > 0) {
  process.stderr.write(`${faults.length} words to replace: CONTRIBUTING.md says by what.\n`)
  process.exitCode = 1
}
