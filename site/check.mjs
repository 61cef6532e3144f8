// Opens every page of the built site in Chromium, in both themes and at the width of a phone, and fails if anything is wrong with it.
// CHROMIUM names the browser; by default /usr/bin/chromium.
import { createReadStream, existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { chromium } from 'playwright-core'

const html = '../artifacts/site'
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.png': 'image/png', '.woff2': 'font/woff2', '.json': 'application/json' }
const pages = readdirSync(html, { recursive: true }).map(String).filter((file) => file.endsWith('.html') && file !== '404.html').sort()
const problems = []

const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname)
  const file = join(html, path.endsWith('/') ? `${path}index.html` : path)
  if (!existsSync(file) || !statSync(file).isFile()) {
    response.writeHead(404).end()
    return
  }

  response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' })
  createReadStream(file).pipe(response)
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${server.address().port}`

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})
const axe = readFileSync('node_modules/axe-core/axe.min.js', 'utf8')

async function open(options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  let current = ''
  page.on('console', (message) => message.type() === 'error' && problems.push(`${current}: console: ${message.text()}`))
  page.on('pageerror', (error) => problems.push(`${current}: ${error.message}`))
  page.on('request', (request) => !request.url().startsWith(origin) && !request.url().startsWith('data:')
    && problems.push(`${current}: asks for ${request.url()}`))
  page.on('response', (response) => response.status() >= 400 && problems.push(`${current}: ${response.status()} for ${response.url()}`))
  return {
    page,
    visit: async (path) => {
      current = path
      await page.goto(`${origin}/${path}`, { waitUntil: 'load' })
      await page.waitForSelector('h1')
    },
  }
}

const anchors = new Map()
const links = []
const { page, visit } = await open({})
for (const [index, path] of pages.entries()) {
  await visit(path)
  const seen = await page.evaluate(() => ({
    headings: document.querySelectorAll('h1').length,
    ids: [...document.querySelectorAll('[id]')].map((each) => each.id),
    links: [...document.querySelectorAll('main a[href], aside a[href], nav a[href]')].map((each) => each.href),
    withoutAlt: [...document.querySelectorAll('img:not([alt]), img[alt=""]')].map((each) => each.src),
    codes: document.querySelectorAll('.vp-doc div[class*="language-"]').length,
    cut: [...document.querySelectorAll('.vp-doc pre')].filter((each) => each.scrollWidth > each.clientWidth + 1).length,
    copyButtons: document.querySelectorAll('.vp-doc div[class*="language-"] button.copy').length,
  }))
  anchors.set(`/${path}`, new Set(seen.ids))
  seen.links.forEach((link) => links.push([path, link]))
  if (seen.headings !== 1) problems.push(`${path}: ${seen.headings} headings of level 1`)
  if (seen.codes !== seen.copyButtons) problems.push(`${path}: ${seen.codes} code blocks, ${seen.copyButtons} copy buttons`)
  if (seen.cut > 0) problems.push(`${path}: ${seen.cut} code blocks have lines that are cut`)
  seen.withoutAlt.forEach((image) => problems.push(`${path}: no alternative text for ${image}`))
  await page.setViewportSize({ width: 390, height: 844 })
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  if (width > 390) problems.push(`${path}: ${width} pixels wide on a phone of 390`)
  await page.setViewportSize({ width: 1280, height: 900 })
  if (process.stdout.isTTY) process.stdout.write(`\r${Math.round((100 * (index + 1)) / pages.length)} %`)
}

const fileOf = ({ pathname }) => (pathname.endsWith('/') ? `${pathname}index.html` : pathname)
for (const [path, link] of links) {
  const address = new URL(link)
  if (address.origin !== origin) continue
  const target = fileOf(address)
  if (!anchors.has(target)) problems.push(`${path}: ${link} leads nowhere`)
  else if (address.hash && !anchors.get(target).has(decodeURIComponent(address.hash.slice(1)))) problems.push(`${path}: ${link}: no such heading`)
}

// Contrast, headings, alternative texts and names of controls, by the rules of WCAG 2 AA, in both themes.
for (const colorScheme of ['light', 'dark']) {
  const themed = await open({ colorScheme })
  for (const path of ['index.html', 'docs/tutorial.html', 'docs/guides/resources.html', 'api/Poolhouse.ResourcePool-1.html']) {
    await themed.visit(path)
    await themed.page.evaluate(axe)
    const { violations } = await themed.page.evaluate(() => window.axe.run(document.querySelector('main') ? 'main' : '#VPContent', { runOnly: ['wcag2a', 'wcag2aa'] }))
    violations.forEach((each) => problems.push(`${path} (${colorScheme}): ${each.help}: ${each.nodes.length} × ${each.nodes[0].html.slice(0, 100)}`))
  }

  if (process.env.PICTURES) await themed.page.goto(`${origin}/`).then(() => themed.page.screenshot({ path: join(process.env.PICTURES, `${colorScheme}.png`) }))
}

if (process.env.PICTURES) {
  const phone = await open({ viewport: { width: 390, height: 844 } })
  await phone.visit('docs/cookbook.html')
  await phone.page.screenshot({ path: join(process.env.PICTURES, 'phone.png') })
}

await visit('index.html')
await page.waitForLoadState('networkidle')
await page.click('.VPNavBarSearch button')

// What newcomers type, with the page that must come first.
const searches = {
  'connection pool exhausted': '/docs/faq.html#the-connection-pool-is-exhausted-what-now',
  MaxPoolSize: '/docs/glossary.html#maxpoolsize',
  'max pool size': '/docs/glossary.html#maxpoolsize',
  'connection timeout': '/docs/glossary.html#connection-timeout',
  GetStream: '/docs/glossary.html#getstream',
  maxRetained: '/docs/glossary.html#maxretained',
  RentTimeout: '/',
}
for (const [words, wanted] of Object.entries(searches)) {
  await page.fill('.VPLocalSearchBox input', '')
  await page.fill('.VPLocalSearchBox input', words)
  await page.waitForTimeout(700)
  const found = await page.locator('.VPLocalSearchBox .result').evaluateAll((all) => all.map((each) => each.getAttribute('href')))
  if (!found[0]?.startsWith(wanted)) problems.push(`search: '${words}' finds ${found[0] ?? 'nothing'} first, not ${wanted}`)
  found.filter((each) => !anchors.has(fileOf(new URL(each, origin)))).forEach((each) => problems.push(`search: ${each} leads nowhere`))
  found.filter((each) => /CHANGELOG|design/.test(each)).forEach((each) => problems.push(`search: '${words}' finds ${each}`))
}

await browser.close()
server.close()
console.log(`\n${pages.length} pages, ${links.length} links, ${problems.length} problems`)
if (problems.length > 0) {
  console.log([...new Set(problems)].slice(0, 50).join('\n'))
  process.exitCode = 1
}
