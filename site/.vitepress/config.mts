import { existsSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'

const version = /<VersionPrefix>(.*)<\/VersionPrefix>/.exec(readFileSync('../eng/src.props', 'utf8'))![1]

// A placeholder, as in the packages: the public address is not known before the first release.
const repository = process.env.POOLHOUSE_REPOSITORY ?? 'https://poolhouse.example/repository'

const page = (text: string, link: string) => ({ text, link: `/docs/${link}` })

// The types of each package, as the index of the API reference lists them.
function types() {
  const index = '.content/api/index.md'
  const packages = existsSync(index) ? readFileSync(index, 'utf8').split('\n## ').slice(1) : []
  return packages.map((each) => ({
    text: each.split('\n')[0],
    collapsed: true,
    items: [...each.matchAll(/^\| \[(.*?)\]\((.*?)\.md\)/gm)].map(([, text, file]) => ({
      text: text.replace(/([a-z])([A-Z])/g, '$1<wbr>$2'), link: `/api/${file}`,
    })),
  }))
}

// As GitHub does it, so that a link to a heading works there and here.
const slugify = (heading: string) =>
  heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '').replace(/ /g, '-')

export default defineConfig({
  title: 'Poolhouse',
  description: 'One pooling library for .NET 10: objects, arrays, streams, connections, databases, LDAP, HTTP and threads.',
  lang: 'en',
  srcDir: '.content',
  outDir: '../artifacts/site',
  cleanUrls: false,
  lastUpdated: false,
  markdown: {
    anchor: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        // What changed and why it was decided is not what a search is for.
        _render: (source, env, markdown) => {
          const html = markdown.render(source, env)
          return /^(CHANGELOG|docs\/design\/)/.test(env.relativePath) ? '' : html
        },
        miniSearch: { searchOptions: { boostDocument: (id) => (/^\/docs\/(faq|glossary)\.html/.test(id) ? 8 : /^\/api\//.test(id) ? 0.5 : 1) } },
      },
    },
    outline: [2, 3],
    nav: [
      { text: 'Tutorial', link: '/docs/tutorial' },
      { text: 'Cookbook', link: '/docs/cookbook' },
      { text: 'API', link: '/api/' },
      { text: 'FAQ', link: '/docs/faq' },
      { text: 'Repository', link: repository },
      { text: version, items: [{ text: 'Changelog', link: '/CHANGELOG' }, { text: 'Contributing', link: '/CONTRIBUTING' }] },
    ],
    sidebar: {
      '/api/': [{ text: 'API reference', link: '/api/' }, ...types()],
      '/': [
        {
          text: 'Start',
          items: [
            { text: 'Poolhouse', link: '/' }, page('Tutorial', 'tutorial'), page('Concepts', 'concepts'),
            page('Do I need a pool?', 'guides/which-pool'), page('Cookbook', 'cookbook'), page('Use it in an app', 'guides/hosting'),
            page('Questions', 'faq'), page('Words of other pools', 'glossary'),
          ],
        },
        {
          text: 'Objects and memory',
          items: [
            page('Object pools', 'guides/objects'), page('Array and memory pools', 'guides/arrays'), page('Pooled streams', 'guides/streams'),
            page('From DefaultObjectPool', 'guides/from-defaultobjectpool'), page('From MemoryStream', 'guides/from-memorystream'), page('From RecyclableMemoryStream', 'guides/from-recyclablememorystream'),
          ],
        },
        {
          text: 'Connections and threads',
          items: [
            page('Resource pools', 'guides/resources'), page('Shared items', 'guides/shared'), page('Children on parents', 'guides/nested'),
            page('Worker pools', 'guides/workers'), page('Recipes for clients', 'guides/recipes'),
            page('Databases', 'guides/databases'), page('From a provider\'s pool', 'guides/from-database-pools'), page('Entity Framework Core', 'guides/efcore'),
            page('LDAP directories', 'guides/ldap'), page('Outgoing HTTP', 'guides/http'), page('A pool of your own', 'guides/own-pool'),
          ],
        },
        {
          text: 'Watch and test',
          items: [
            page('Metrics', 'guides/metrics'), page('Dashboards and alerts', 'dashboards/index'), page('Testing with pools', 'guides/testing'), page('Find misuse', 'guides/find-misuse'),
            page('Rules', 'rules/index'), page('Rules for leases', 'rules/leases'), page('Rules for .NET\'s pools', 'rules/dotnet'),
            page('Rules for streams', 'rules/streams'), page('Rules for policies', 'rules/policies'), page('poolhouse bench', 'guides/bench'),
            page('poolhouse advise', 'guides/advise'), page('At 3 a.m.', 'guides/at-3-am'), page('poolhouse size', 'guides/sizing'), page('Troubleshooting', 'troubleshooting'), page('Performance', 'performance'),
          ],
        },
        {
          text: 'Inside',
          items: [page('Architecture', 'architecture'), page('Design decisions', 'design/'), { text: 'API reference', link: '/api/' }],
        },
      ],
    },
  },
})
