import { defineConfig } from 'vitepress'

/** The site is built without a network and asks for nothing from elsewhere: own fonts, own search. Dead links fail the build. */
export default defineConfig({
  title: 'Sluice',
  description: 'A self-hosted model gateway',
  cleanUrls: false,
  srcExclude: ['site/**', 'parts/**', 'node_modules/**'],
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Clients', link: '/clients' },
      { text: 'Deploy', link: '/deploy' },
      { text: 'Settings', link: '/settings' },
    ],
    sidebar: [
      {
        text: 'Use it',
        items: [
          { text: 'Start in three minutes', link: '/start' },
          { text: 'API endpoints', link: '/addresses' },
          { text: 'Clients and SDKs', link: '/clients' },
          { text: 'Coding agents and chat programs', link: '/coding-agents' },
          { text: 'Streaming guarantees', link: '/streaming' },
          { text: 'The built-in engine', link: '/engine' },
          { text: 'The console', link: '/console' },
          { text: 'Commands', link: '/commands' },
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
          { text: 'Security', link: '/security' },
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
    ],
  },
})
