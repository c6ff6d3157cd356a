// The public interface of the built-in engine. Nothing else in this folder is used from outside.
export { createEngine, type EngineOptions } from './create-engine.ts'
export type {
  BuiltinEngine,
  Engine,
  EngineContext,
  EngineOperation,
  RoutedEngine,
} from './engine.ts'
export { type EngineCard, type EngineModel, engineCard } from './models.ts'
export type {
  EngineJobs,
  JobChange,
  JobFile,
  JobFiles,
  KeptJob,
  VideoRequest,
} from './video/jobs.ts'
