import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

// Preloaded with --import: when the process ends, writes the URL of every module that it has loaded.
const urls: string[] = []
registerHooks({
  load(url, context, next) {
    urls.push(url)
    return next(url, context)
  },
})
process.on('exit', () => {
  const file = process.env['LOADED_MODULES']
  if (file !== undefined) writeFileSync(file, urls.join('\n'))
})
