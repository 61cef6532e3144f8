// Copies the pages of the repository to site/.content. On the site a README is the index of its folder, and a link to what is
// not a page, such as a script or a folder of code, is text. A block of code gets the usings that it needs in an empty project, and below
// it the names that stand for the reader's own code: site/usings.json, which a test compares with the samples.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const root = '..'
const content = '.content'
const tracked = execFileSync('git', ['ls-files', '*.md', 'docs/images'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
const files = tracked.filter((file) => !file.startsWith('site/') && !file.startsWith('.ci/'))
const needs = JSON.parse(readFileSync('usings.json', 'utf8'))
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
  const page = parts.map((part, index) => (index % 2 === 1 ? complete(parts[index - 1], part) : fence(relink(file, part)))).join('')
  return file === 'README.md' ? front(page) : page
}

// The first page of the repository below a head with the ways on.
function front(page) {
  const [, tagline] = /^# .*\n\n([\s\S]*?)\n\n/.exec(page)
  return `---
layout: home
hero:
  name: Poolhouse
  text: Pools for .NET 10
  tagline: ${JSON.stringify(tagline.replaceAll('\n', ' '))}
  actions:
    - { theme: brand, text: Tutorial, link: /docs/tutorial }
    - { theme: alt, text: 'Do I need a pool?', link: /docs/guides/which-pool }
    - { theme: alt, text: Cookbook, link: /docs/cookbook }
features:
  - { title: Objects and memory, details: 'Objects, arrays, buffers and streams that threads can share.', link: /docs/guides/objects }
  - { title: Connections, details: 'A strict limit, a fair queue, a deadline, and a clean session for each rent.', link: /docs/guides/resources }
  - { title: Databases, details: 'One pool for every ADO.NET provider, and for Entity Framework Core.', link: /docs/guides/databases }
  - { title: Apps, details: 'Configuration, warm-up, drain, health checks and metrics in one statement.', link: /docs/guides/hosting }
---

<div class="vp-doc front">

${page.replace(/^# .*\n\n[\s\S]*?\n\n/, '')}
</div>
`
}

function complete(before, block) {
  const need = needs[/<!-- snippet: ([a-z0-9-]+) -->\n\s*$/.exec(before)?.[1]]
  if (!need) {
    return block
  }

  const usings = need.usings.length === 0 ? '' : `${need.usings.map((each) => `using ${each};`).join('\n')}\n\n`
  const yours = need.yours.length === 0 ? '' : `\n\n<small>Of your program: ${need.yours.map((each) => `\`${each}\``).join(', ')}</small>`
  return block.replace(/^(```.*\n)/, (line) => `${line}${usings}`) + yours
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
