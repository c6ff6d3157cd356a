import { defineConfig } from 'vitepress'
import { homePage, writeMarkdownPages } from '../site/markdown-pages.ts'

const title = 'Sluice'
const description = 'A self-hosted model gateway'

const menu = [
  {
    text: 'Use it',
    items: [
      { text: 'Start in three minutes', link: '/start' },
      { text: 'Concepts', link: '/concepts' },
      { text: 'API endpoints', link: '/addresses' },
      { text: 'Clients and SDKs', link: '/clients' },
      { text: 'Coding agents and chat programs', link: '/coding-agents' },
      { text: 'Streaming guarantees', link: '/streaming' },
      { text: 'The built-in engine', link: '/engine' },
      { text: 'The console', link: '/console' },
      { text: 'Commands', link: '/commands' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
      { text: 'Errors', link: '/errors/' },
    ],
  },
  {
    text: 'Run it',
    items: [
      { text: 'Providers', link: '/providers/' },
      { text: 'Routing', link: '/routing' },
      { text: 'Accounts and budgets', link: '/accounts' },
      { text: 'Signing in', link: '/sign-in' },
      { text: 'How exact limits are', link: '/limits' },
      { text: 'Usage and bills', link: '/usage' },
      { text: 'Requests', link: '/requests' },
      { text: 'Webhooks', link: '/alerts' },
      { text: 'Metrics and traces', link: '/observability' },
      { text: 'Deploy', link: '/deploy' },
      { text: 'Workers and replicas', link: '/scaling' },
      { text: 'Operations', link: '/operations' },
      { text: 'Versions and upgrades', link: '/versioning' },
      { text: 'Recipes', link: '/recipes' },
      { text: 'Security', link: '/security' },
    ],
  },
  {
    text: 'Move here',
    items: [
      { text: 'From LiteLLM', link: '/from-litellm' },
      { text: 'From new-api', link: '/from-new-api' },
      { text: 'From Portkey', link: '/from-portkey' },
      { text: 'From OpenRouter', link: '/from-openrouter' },
    ],
  },
  {
    text: 'Look up',
    items: [
      { text: 'Settings', link: '/settings' },
      { text: 'File of sluice apply', link: '/apply-file' },
      { text: 'Other gateways', link: '/compare' },
      { text: 'Agents that were tried', link: '/agents' },
      { text: 'The fault wall', link: '/fault-wall' },
      {
        text: 'Decisions',
        items: [
          { text: 'Canonical form', link: '/decisions/001-canonical-form' },
          { text: 'Plain SQL', link: '/decisions/002-plain-sql' },
          { text: 'Native first', link: '/decisions/003-native-first' },
          { text: 'Two databases', link: '/decisions/004-two-databases' },
        ],
      },
    ],
  },
]

/** The site is built without a network and asks for nothing from elsewhere: own fonts, own search. Dead links fail the build. */
export default defineConfig({
  title,
  description,
  cleanUrls: false,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/icon.svg' }]],
  srcExclude: ['site/**', 'parts/**', 'node_modules/**'],
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Clients', link: '/clients' },
      { text: 'Deploy', link: '/deploy' },
      { text: 'Settings', link: '/settings' },
    ],
    sidebar: menu,
  },
  transformHead: ({ page, pageData }) => {
    const href = page === homePage || pageData.isNotFound === true ? '/llms.txt' : `/${page}`
    return [['link', { rel: 'alternate', type: 'text/markdown', href }]]
  },
  buildEnd: ({ pages, srcDir, outDir }) =>
    writeMarkdownPages({
      title,
      description,
      menu,
      pages,
      sourceFolder: srcDir,
      outputFolder: outDir,
    }),
})
