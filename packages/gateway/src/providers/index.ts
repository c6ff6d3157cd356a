import { ai21 } from './ai21.ts'
import { alibaba } from './alibaba.ts'
import { amazonBedrock } from './amazon-bedrock.ts'
import { anthropic } from './anthropic.ts'
import { azureOpenai } from './azure-openai.ts'
import { azureOpenaiV1 } from './azure-openai-v1.ts'
import { baichuan } from './baichuan.ts'
import { baseten } from './baseten.ts'
import { cerebras } from './cerebras.ts'
import { chutes } from './chutes.ts'
import { cloudflareWorkersAi } from './cloudflare-workers-ai.ts'
import { cohere } from './cohere.ts'
import { databricks } from './databricks.ts'
import { deepgram } from './deepgram.ts'
import { deepinfra } from './deepinfra.ts'
import { deepseek } from './deepseek.ts'
import { elevenlabs } from './elevenlabs.ts'
import { featherless } from './featherless.ts'
import { fireworks } from './fireworks.ts'
import { friendli } from './friendli.ts'
import { githubModels } from './github-models.ts'
import { google } from './google.ts'
import { googleVertex } from './google-vertex.ts'
import { googleVertexAnthropic } from './google-vertex-anthropic.ts'
import { groq } from './groq.ts'
import { huggingface } from './huggingface.ts'
import { hunyuan } from './hunyuan.ts'
import { hyperbolic } from './hyperbolic.ts'
import { inception } from './inception.ts'
import { inferenceNet } from './inference-net.ts'
import { infinity } from './infinity.ts'
import { ioNet } from './io-net.ts'
import { ionos } from './ionos.ts'
import { jina } from './jina.ts'
import { llamacpp } from './llamacpp.ts'
import { lmstudio } from './lmstudio.ts'
import { localai } from './localai.ts'
import { minimax } from './minimax.ts'
import { mistral } from './mistral.ts'
import { modelscope } from './modelscope.ts'
import { moonshotai } from './moonshotai.ts'
import { nebius } from './nebius.ts'
import { novita } from './novita.ts'
import { nvidia } from './nvidia.ts'
import { ollama } from './ollama.ts'
import { ollamaCloud } from './ollama-cloud.ts'
import { openai } from './openai.ts'
import { openaiResponses } from './openai-responses.ts'
import { openrouter } from './openrouter.ts'
import { ovhcloud } from './ovhcloud.ts'
import { parasail } from './parasail.ts'
import { perplexity } from './perplexity.ts'
import { poe } from './poe.ts'
import type { Provider } from './provider.ts'
import { qianfan } from './qianfan.ts'
import { sambanova } from './sambanova.ts'
import { scaleway } from './scaleway.ts'
import { siliconflow } from './siliconflow.ts'
import { stepfun } from './stepfun.ts'
import { tei } from './tei.ts'
import { togetherai } from './togetherai.ts'
import { upstage } from './upstage.ts'
import { venice } from './venice.ts'
import { vercel } from './vercel.ts'
import { vllm } from './vllm.ts'
import { volcengine } from './volcengine.ts'
import { voyage } from './voyage.ts'
import { vultr } from './vultr.ts'
import { wandb } from './wandb.ts'
import { xai } from './xai.ts'
import { xinference } from './xinference.ts'
import { zai } from './zai.ts'
import { zhipuai } from './zhipuai.ts'

const all: readonly Provider[] = [
  ai21,
  alibaba,
  amazonBedrock,
  anthropic,
  azureOpenai,
  azureOpenaiV1,
  baichuan,
  baseten,
  cerebras,
  chutes,
  cloudflareWorkersAi,
  cohere,
  databricks,
  deepgram,
  deepinfra,
  deepseek,
  elevenlabs,
  featherless,
  fireworks,
  friendli,
  githubModels,
  google,
  googleVertex,
  googleVertexAnthropic,
  groq,
  huggingface,
  hunyuan,
  hyperbolic,
  inception,
  inferenceNet,
  infinity,
  ioNet,
  ionos,
  jina,
  llamacpp,
  lmstudio,
  localai,
  minimax,
  mistral,
  modelscope,
  moonshotai,
  nebius,
  novita,
  nvidia,
  ollama,
  ollamaCloud,
  openai,
  openaiResponses,
  openrouter,
  ovhcloud,
  parasail,
  perplexity,
  poe,
  qianfan,
  sambanova,
  scaleway,
  siliconflow,
  stepfun,
  tei,
  togetherai,
  upstage,
  venice,
  vercel,
  vllm,
  volcengine,
  voyage,
  vultr,
  wandb,
  xai,
  xinference,
  zai,
  zhipuai,
]

/** All known upstream providers by id. To add one, create a file beside this one and add a line here. */
export const providers: ReadonlyMap<string, Provider> = new Map(
  all.map((provider) => [provider.id, provider]),
)
