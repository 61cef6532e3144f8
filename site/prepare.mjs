// Copies the pages of the repository to site/.content. On the site a README is the index of its folder, and a link to what is
// not a page, such as a script or a folder of code, is text.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const root = '..'
const content = '.content'
const tracked = execFileSync('git', ['ls-files', '*.md', 'docs/images'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
const files = tracked.filter((file) => !file.startsWith('site/') && !file.startsWith('.ci/'))
const pages = new Set(files.filter((file) => file.endsWith('.md')))

for (const file of files) {
  const target = join(content, file.replace(/README\.md$/, 'index.md'))
  mkdirSync(dirname(target), { recursive: true })
  if (pages.has(file)) {
    writeFileSync(target, convert(file, readFileSync(join(root, file), 'utf8')))
  } else {
    cpSync(join(root, file), target)
  }
}

function convert(file, text) {
  const parts = text.split(/(^```[\s\S]*?^```)/m)
  return parts.map((part, index) => (index % 2 === 1 ? part : fence(relink(file, part)))).join('')
}

// Only fenced code has a frame and a copy button on the site.
function fence(text) {
  return text.replace(/(?<=\n\n)(?: {4}.*\n)+(?=\n|$)/g, (code) => `\`\`\`sh\n${code.replace(/^ {4}/gm, '')}\`\`\`\n`)
}

function relink(file, text) {
  return text.replace(/(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (link, image, label, address) => {
    if (image || /^[a-z]+:/.test(address) || address.startsWith('#')) {
      return link
    }

    const [path, anchor] = address.split('#')
    const linked = normalize(join(dirname(file), decodeURIComponent(path))).replace(/\/$/, '')
    const page = [linked, join(linked, 'README.md')].find((candidate) => pages.has(candidate))
    if (!page) {
      if (!existsSync(join(root, linked))) {
        throw new Error(`${file}: ${address} leads nowhere`)
      }

      return label
    }

    return `[${label}](/${page.replace(/README\.md$/, 'index.md')}${anchor ? `#${anchor}` : ''})`
  })
}
