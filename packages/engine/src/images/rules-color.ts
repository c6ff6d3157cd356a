import { colorPattern, parseColor } from './colors.ts'
import type { EditOperation } from './edit-operations.ts'
import {
  amountIn,
  type Clause,
  colorIn,
  directionIn,
  find,
  lengthIn,
  type InstructionRule,
} from './instruction-clause.ts'

const color = colorPattern

const thing = String.raw`(?:the |this |that |its |his |her |their |all )?((?:[\p{L}-]+ ){0,2}?[\p{L}-]+)`
const whole =
  /^(?:it|image|picture|photo|whole|everything|thing|scene|whole image|whole picture|photograph)$/

/** Looks that stand for several steps; the words are tried in this order. */
const looks: readonly { readonly pattern: RegExp; readonly make: readonly EditOperation[] }[] = [
  {
    pattern:
      /\b(?:vintage|retro|old[ -](?:photo(?:graph)?|fashioned|timey?)|antique|aged|nostalgic|faded)\b|复古|老照片|怀旧/,
    make: [
      { kind: 'sepia', amount: 0.7 },
      { kind: 'contrast', amount: -0.2 },
      { kind: 'vignette', amount: 0.5 },
      { kind: 'grain', amount: 0.2 },
    ],
  },
  {
    pattern: /\b(?:cinematic|film look|movie)\b|电影感/,
    make: [
      { kind: 'contrast', amount: 0.3 },
      { kind: 'saturation', amount: -0.15 },
      { kind: 'tint', color: [0, 96, 128], amount: 0.2 },
      { kind: 'vignette', amount: 0.4 },
    ],
  },
  {
    pattern: /\bdramatic(?: look| effect| style| lighting)?\b/,
    make: [
      { kind: 'contrast', amount: 0.7 },
      { kind: 'vignette', amount: 0.5 },
    ],
  },
  {
    pattern: /\bdreamy\b|\bethereal\b/,
    make: [
      { kind: 'blur', amount: 0.15 },
      { kind: 'brightness', amount: 0.25 },
      { kind: 'saturation', amount: 0.15 },
    ],
  },
  {
    pattern: /\b(?:at |by |to |into )?(?:night(?:[ -]?time)?|midnight(?! blue))\b|夜晚|夜景/,
    make: [
      { kind: 'brightness', amount: -0.5 },
      { kind: 'tint', color: [24, 40, 110], amount: 0.5 },
    ],
  },
  {
    pattern: /\b(?:sunset|golden hour|sunrise|dusk|dawn)\b|日落|黄昏/,
    make: [
      { kind: 'warmth', amount: 0.8 },
      { kind: 'tint', color: [255, 120, 40], amount: 0.3 },
    ],
  },
  {
    pattern: /\b(?:foggy|misty|fog|mist|haz[ey]+)\b|雾/,
    make: [
      { kind: 'contrast', amount: -0.5 },
      { kind: 'tint', color: [225, 228, 232], amount: 0.5 },
    ],
  },
  {
    pattern: /\b(?:wintry|winter|snowy|frosty|icy)\b|冬天|雪景/,
    make: [
      { kind: 'warmth', amount: -0.6 },
      { kind: 'brightness', amount: 0.25 },
      { kind: 'saturation', amount: -0.3 },
    ],
  },
  {
    pattern: /\bpop[ -]art\b|\bwarhol\b/,
    make: [
      { kind: 'posterize', levels: 4 },
      { kind: 'saturation', amount: 1 },
    ],
  },
  {
    pattern: /\bhdr\b/,
    make: [
      { kind: 'contrast', amount: 0.4 },
      { kind: 'saturation', amount: 0.4 },
      { kind: 'sharpen', amount: 0.6 },
    ],
  },
]

type Tone = 'brightness' | 'contrast' | 'saturation' | 'warmth'

function tone(kind: Tone, clause: Clause, sign?: 1 | -1): EditOperation {
  return { kind, amount: (sign ?? directionIn(clause)) * amountIn(clause) }
}

type Plain =
  | 'grayscale'
  | 'sepia'
  | 'vignette'
  | 'grain'
  | 'blur'
  | 'sharpen'
  | 'denoise'
  | 'paint'
  | 'emboss'

/** A plain effect: its words, its kind, and how strong it is when nothing is said. */
function effect(pattern: RegExp, kind: Plain, usual = 0.5): InstructionRule {
  return { pattern, make: (_match, clause) => ({ kind, amount: amountIn(clause, usual) }) }
}

function fixed(pattern: RegExp, operation: EditOperation): InstructionRule {
  return { pattern, make: () => operation }
}

/** Rules that change colours and texture in place. */
export const colorRules: readonly InstructionRule[] = [
  fixed(
    /\b(?:pure|only|strictly|two[ -]tone|1[ -]bit) black[ -](?:and|&)[ -]white\b|\bthreshold(?:ed|ing)?\b|\bbinar(?:y|i[sz]e)\b|\bstencil\b/,
    { kind: 'threshold', level: 128 },
  ),
  effect(
    /\bgr[ae]y[ -]?scale\b|\bblack[ -]?(?:and|&|\/)[ -]?white\b|\bb\s?(?:&|\/)\s?w\b|\bmonochrom(?:e|atic)\b|\bcolou?rless\b|\b(?:remove|drop|without|no|strip)(?: all| the| its)* colou?rs?\b|\b(?:to|in|into|it|image|picture|photo) gr[ae]y\b|\b(?:fully|completely|totally) desaturate\w*\b|\bdesaturate\w* (?:fully|completely|totally)\b|黑白|灰度/,
    'grayscale',
    1,
  ),
  effect(/\bsepia\b|褐色调/, 'sepia', 1),
  fixed(
    /\binver(?:t\w*|se)\b|\bnegative(?: image| colou?rs)?\b|\breverse(?:d)? (?:the )?colou?rs\b|反色|反相|底片/,
    { kind: 'invert' },
  ),
  fixed(/\bsolari[sz]\w*/, { kind: 'solarize' }),
  {
    pattern: /\bposteri[sz]\w*|色调分离/,
    make: (_match, clause) => {
      const levels = Number(find(clause, /(\d{1,3})/)?.[1] ?? 4)
      return { kind: 'posterize', levels: Math.min(64, Math.max(2, levels)) }
    },
  },
  {
    pattern:
      /\bpixel(?:ate[ds]?|ation|i[sz]e[ds]?|[ -]?art)?\b(?! wide| tall| high)|\bmosaic\b|\b8[ -]bit\b|像素化|马赛克/,
    make: (match, clause) => {
      if (/^pixel$/i.test(match[0])) return undefined
      return { kind: 'pixelate', size: lengthIn(clause, { part: 0.04 }) }
    },
  },
  ...looks.map(({ pattern, make }): InstructionRule => ({ pattern, make: () => make })),
  fixed(/\b(?:pencil |charcoal )?(?:sketch|drawing)\b(?! of)|\bline art\b|素描/, {
    kind: 'sketch',
  }),
  fixed(/\bcartoon\w*|\bcomic\b(?: book)?|\banime\b|卡通|漫画/, { kind: 'cartoon' }),
  effect(
    /\b(?:oil |water ?colou?r |acrylic )?paint(?:ing|erly)\b|\bwater ?colou?r\b|\bimpressionis\w+|油画|水彩/,
    'paint',
  ),
  fixed(
    /\b(?:find |detect |show |trace )?(?:the )?edges?(?: detect\w*| only)?\b(?! (?:of|round))|\bcontours?\b|\boutlines? only\b|边缘/,
    { kind: 'edges' },
  ),
  effect(/\bemboss\w*|\b(?:bas-?)?relief\b|浮雕/, 'emboss'),
  effect(
    /\bde-?nois\w*|\b(?:remove|reduce|less|clean(?: up)?)(?: the| some| any)? (?:noise|grain|specks|dust)\b|\bnoise (?:reduction|removal)\b|\bclean up\b|降噪|去噪/,
    'denoise',
  ),
  effect(/\b(?:film )?grain(?:y|iness)?\b|\bnois[ey]\b|噪点|颗粒/, 'grain'),
  effect(/\bvignett\w*|\bdark(?:er|en(?:ed)?)? (?:the )?(?:corners|edges)\b|暗角/, 'vignette'),
  effect(
    /\bblur\w*|\bout of focus\b|\bde-?focus\w*|\bsoften\w*|\bsmooth(?:er|en|ed)?\b|模糊|柔化/,
    'blur',
  ),
  effect(
    /\bsharp(?:en\w*|er|ness)?\b|\bcrisp(?:er)?\b|\b(?:clearer|more detail(?:ed)?)\b|锐化|清晰/,
    'sharpen',
  ),
  ...colorChangeRules(),
  { pattern: /\bcontrast\w*|对比度/, make: (_match, clause) => tone('contrast', clause) },
  {
    pattern:
      /\b(?:desaturat\w*|muted|dull(?:er)?|washed[ -]out|less (?:colou?rful|vivid|saturated|vibrant))\b|淡化/,
    make: (_match, clause) => tone('saturation', clause, -1),
  },
  {
    pattern:
      /\bsaturat\w*|\b(?:more )?(?:vivid|vibran\w+|colou?rful)\b|\b(?:richer|stronger|intenser?) colou?rs\b|\bvibrance\b|饱和度|鲜艳/,
    make: (_match, clause) => tone('saturation', clause),
  },
  {
    pattern:
      /\b(?:darken\w*|darker|dim(?:mer|med)?|underexpose[ds]?|less bright|(?:lower|reduce|decrease)(?: the)? (?:brightness|exposure))\b|变暗|调暗|暗一/,
    make: (_match, clause) => tone('brightness', clause, -1),
  },
  {
    pattern:
      /\b(?:bright(?:en\w*|er)|lighten\w*|lighter|overexpose[ds]?|more light)\b|\b(?:make|keep) (?:it|the \w+)(?: very| really| more)? bright\b|变亮|调亮|提亮|亮一/,
    make: (_match, clause) => tone('brightness', clause, 1),
  },
  {
    pattern: /\b(?:brightness|exposure|luminosity)\b|亮度|曝光/,
    make: (_match, clause) => tone('brightness', clause),
  },
  {
    pattern: /\b(?:cool(?:er|ing)?|colder|cold|bluish)\b(?: tones?| colou?rs?| look)?|冷色/,
    make: (_match, clause) => tone('warmth', clause, -1),
  },
  {
    pattern: /\bwarm(?:er|th|ing)?\b(?: tones?| colou?rs?| look)?|\bcozy\b|暖色/,
    make: (_match, clause) => tone('warmth', clause),
  },
  {
    pattern: /\bhues?\b/,
    make: (_match, clause) => {
      const degrees = Number(find(clause, /(-?\d{1,3})\s*(?:°|deg\w*)?/)?.[1] ?? 90)
      return { kind: 'hue', degrees: degrees % 360 }
    },
  },
  fixed(
    /\benhanc\w*|\bimprov\w*|\bauto[ -]?(?:levels?|contrast|colou?r|fix|correct\w*|adjust)\b|\bnormali[sz]\w*|\bequali[sz]\w*|\bbetter\b|\bfix the (?:colou?rs?|exposure|lighting)\b|增强|优化|美化/,
    { kind: 'normalize' },
  ),
]

function colorChangeRules(): readonly InstructionRule[] {
  return [
    {
      pattern: new RegExp(
        String.raw`\b(?:change|turn|make|replace|swap|recolou?r|convert|paint)\b (?:all |every |the |any |anything |everything )*(${color})(?: (?!to\b|into\b|with\b|by\b)[\w-]+){0,3}? (?:colou?rs? )?(?:to |into |with |by |for )?(?:be )?(${color})`,
      ),
      make: ([, from = '', to = '']) => recolor(from, to),
    },
    {
      pattern: new RegExp(
        String.raw`(?:把|将)?(${color})(?:的)?(?:换成|改成|变成|改为|换为|变为)(${color})`,
      ),
      make: ([, from = '', to = '']) => recolor(from, to),
    },
    {
      pattern: new RegExp(
        String.raw`(${color}) (?:colou?r )?(?:tint|tone|hue|wash|cast|filter|overlay|shade|glow)\b|\btint\w*\b(?:(?!\b(?:and|then)\b)[^,.;]){0,20}?(${color})|\b(?:tint|colou?ri[sz]e)\w*\b|(${color})色调`,
      ),
      make: (match, clause) => {
        const named = parseColor(match[1] ?? match[2] ?? match[3] ?? '') ?? colorIn(clause)
        return named === undefined
          ? undefined
          : { kind: 'tint', color: named, amount: amountIn(clause) }
      },
    },
    {
      pattern: new RegExp(
        String.raw`\b(?:make|turn|paint|colou?r|dye|change)\b ${thing} (?:to |into |in )?(${color})(?! (?:circle|square|text|border|frame|background|caption))`,
      ),
      make: ([, what = '', to = '']) => {
        const named = parseColor(to)
        if (named === undefined) return undefined
        const wanted = whole.test(what) ? {} : { wanted: what }
        return { kind: 'tint', color: named, amount: 0.6, ...wanted }
      },
    },
    fixed(/\bcolou?ri[sz]e\b/, { kind: 'saturation', amount: 0.6 }),
  ]
}

function recolor(from: string, to: string): EditOperation | undefined {
  const [source, target] = [parseColor(from), parseColor(to)]
  return source === undefined || target === undefined
    ? undefined
    : { kind: 'recolor', from: source, to: target }
}
