// Environment references and patterns of other programs are rejected in settings, by the command line and by the
// administration API.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asked, granted } from '../../support/administrate.ts'
import { runSluice } from '../../support/run-sluice.ts'
import { start } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test.each([
  ['models: { "wild/*": "acme/m" }\n', 'sluice.yaml:1:11: models["wild/*"] has no *'],
  ['models: { "^wild": "acme/m" }\n', 'sluice.yaml:1:11: models["^wild"] is a pattern'],
  [
    'keys:\n  - name: team\n    key: os.environ/TEAM_KEY\n',
    'sluice.yaml:3:5: keys[0].key is a reference in the form of another program, which would be taken literally: write ${TEAM_KEY}',
  ],
  ['model_list: []\n', 'sluice.yaml:1:1: model_list belongs to a LiteLLM configuration'],
])('sluice check rejects %j', async (text, message) => {
  using folder = temporaryFolder()
  writeFileSync(join(folder.path, 'sluice.yaml'), text)
  const { exitCode, stderr } = await runSluice(['check'], { folder: folder.path })
  expect(exitCode).toBe(1)
  expect(stderr).toContain(message)
})

test('an administrator cannot add a route with a pattern', async () => {
  using folder = temporaryFolder()
  const configFile = join(folder.path, 'sluice.yaml')
  writeFileSync(configFile, 'models:\n  slow: builtin/builtin-chat\n')
  await using gateway = await start({ models: { slow: 'builtin/builtin-chat' } }, { configFile })
  const models = { slow: 'builtin/builtin-chat', 'wild/?': 'builtin/builtin-chat' }
  const { etag } = await granted(gateway, 'GET /admin/v1/routes')
  const response = await asked(gateway, 'PUT /admin/v1/routes', { models, etag })
  expect(response.status).toBe(400)
  expect(response.body.error.message).toContain('is a pattern')
})
