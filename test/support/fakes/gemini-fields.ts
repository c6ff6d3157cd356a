/** The fields of a generateContent request below its own (https://ai.google.dev/api/generate-content); others are refused. */
import { names, unknownIn } from './known-fields.ts'

type Fields = Readonly<Record<string, unknown>>

/** By the path of what has them; `[]` stands for every item of a list. */
const known: Readonly<Record<string, ReadonlySet<string>>> = {
  generationConfig:
    names(`candidateCount enableEnhancedCivicAnswers frequencyPenalty imageConfig logprobs
    maxOutputTokens mediaResolution presencePenalty responseJsonSchema responseLogprobs responseMimeType
    responseModalities responseSchema seed speechConfig stopSequences temperature thinkingConfig topK topP`),
  'generationConfig.thinkingConfig': names('includeThoughts thinkingBudget thinkingLevel'),
  systemInstruction: names('parts role'),
  'systemInstruction.parts[]': names('text'),
  'contents[]': names('parts role'),
  'contents[].parts[]':
    names(`codeExecutionResult executableCode fileData functionCall functionResponse
    inlineData mediaResolution partMetadata text thought thoughtSignature toolCall toolResponse videoMetadata`),
  'contents[].parts[].functionCall': names('args id name partialArgs willContinue'),
  'contents[].parts[].functionResponse': names('id name parts response scheduling willContinue'),
  'contents[].parts[].inlineData': names('data displayName mimeType'),
  'contents[].parts[].fileData': names('displayName fileUri mimeType'),
  'tools[]':
    names(`codeExecution computerUse fileSearch functionDeclarations googleMaps googleSearch
    googleSearchRetrieval mcpServers urlContext`),
  'tools[].functionDeclarations[]':
    names(`behavior description name parameters parametersJsonSchema response
    responseJsonSchema`),
  toolConfig: names('functionCallingConfig includeServerSideToolInvocations retrievalConfig'),
  'toolConfig.functionCallingConfig': names(
    'allowedFunctionNames mode streamFunctionCallArguments',
  ),
  'safetySettings[]': names('category threshold'),
}

/** The name of the first unknown field and where it is, as the API's error says it; undefined if all are known. */
export function unknownGeminiField(body: Fields): string | undefined {
  for (const [path, fields] of Object.entries(known))
    for (const value of valuesAt(body, path.split('.'))) {
      const unknown = unknownIn(camelCased(value), fields)
      if (unknown !== undefined) return `"${unknown}" at '${path}'`
    }
  return undefined
}

function valuesAt(value: unknown, [step, ...rest]: readonly string[]): readonly unknown[] {
  if (step === undefined) return [value]
  const name = step.replace('[]', '')
  const inner = (camelCased(value) as Fields | undefined)?.[name]
  if (inner == null) return []
  return (step.endsWith('[]') ? (inner as readonly unknown[]) : [inner]).flatMap((one) =>
    valuesAt(one, rest),
  )
}

/** Both spellings of names are accepted. */
function camelCased(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      inner,
    ]),
  )
}
