import type { Shape } from './shape.ts'

const rays = Array.from(
  { length: 12 },
  (_, index) =>
    `<rect x="-.05" y="-1" width=".1" height=".28" rx=".05" transform="rotate(${index * 30})"/>`,
).join('')
const petals = Array.from(
  { length: 6 },
  (_, index) =>
    `<ellipse cx="0" cy="-.5" rx=".2" ry=".3" transform="translate(0 -.3) rotate(${index * 60}) translate(0 .12)"/>`,
).join('')
const spokes = Array.from(
  { length: 6 },
  (_, index) =>
    `<path d="M0 0V-1M-.2-.8 0-.6 .2-.8M-.25-.5 0-.28 .25-.5" transform="rotate(${index * 60})"/>`,
).join('')
const bows = ['#e53935', '#fb8c00', '#fdd835', '#43a047', '#1e88e5', '#5e35b1']
  .map(
    (color, index) =>
      `<path d="M${-1 + index * 0.09} .6A${1 - index * 0.09} ${1 - index * 0.09} 0 0 1 ${1 - index * 0.09} .6" stroke="${color}"/>`,
  )
  .join('')

/** Things and beings, simply drawn. */
export const figures = {
  sun: {
    words: ['sun', '太阳'],
    color: [255, 200, 40],
    home: 'sky',
    draw: ({ paint, fill }) => `<g fill="${fill}">${rays}</g><circle r=".62" ${paint}/>`,
  },
  moon: {
    words: ['moon', 'full moon', '月亮'],
    color: [244, 240, 214],
    home: 'sky',
    draw: ({ paint, shade }) =>
      `<circle r=".9" ${paint}/><g fill="${shade}" opacity=".25"><circle cx="-.3" cy="-.2" r=".2"/><circle cx=".3" cy=".3" r=".15"/><circle cx=".25" cy="-.45" r=".1"/></g>`,
  },
  planet: {
    words: ['planet', 'saturn'],
    color: [214, 150, 90],
    home: 'sky',
    draw: ({ paint, light }) =>
      `<circle r=".6" ${paint}/><ellipse rx="1" ry=".22" fill="none" stroke="${light}" stroke-width=".08" transform="rotate(-18)"/>`,
  },
  cloud: {
    words: ['cloud', '云'],
    color: [255, 255, 255],
    home: 'sky',
    draw: ({ paint }) =>
      `<path d="M-.7.4A.35.35 0 0 1-.65-.28 .42.42 0 0 1 .1-.5 .38.38 0 0 1 .68-.2 .32.32 0 0 1 .7.4Z" ${paint}/>`,
  },
  rainbow: {
    words: ['rainbow', '彩虹'],
    color: [229, 57, 53],
    home: 'sky',
    draw: () => `<g fill="none" stroke-width=".09">${bows}</g>`,
  },
  bird: {
    words: ['bird', 'seagull', 'gull', 'eagle', '鸟'],
    color: [50, 56, 70],
    home: 'sky',
    draw: ({ fill }) =>
      `<path d="M-1-.2Q-.5-.6 0 .1 .5-.6 1-.2" fill="none" stroke="${fill}" stroke-width=".14" stroke-linecap="round" stroke-linejoin="round"/>`,
  },
  balloon: {
    words: ['balloon', '气球'],
    color: [226, 60, 72],
    home: 'sky',
    draw: ({ paint, light, shade }) =>
      `<path d="M0 .3Q.15.6 0 1" fill="none" stroke="${shade}" stroke-width=".04"/><ellipse cy="-.3" rx=".55" ry=".68" ${paint}/><ellipse cx="-.2" cy="-.55" rx=".1" ry=".18" fill="${light}"/>`,
  },
  kite: {
    words: ['kite'],
    color: [240, 110, 40],
    home: 'sky',
    draw: ({ paint, shade }) =>
      `<polygon points="0,-1 .6,-.3 0,.5 -.6,-.3" ${paint}/><path d="M0 .5Q.3.7 0 .8T.2 1" fill="none" stroke="${shade}" stroke-width=".05"/>`,
  },
  rocket: {
    words: ['rocket', 'spaceship', 'spacecraft', '火箭'],
    color: [222, 226, 234],
    home: 'sky',
    draw: ({ paint, shade }) =>
      `<path d="M-.3.5-.65.8V.3ZM.3.5 .65.8V.3Z" fill="${shade}"/><path d="M0-1Q.45-.5.32.6H-.32Q-.45-.5 0-1Z" ${paint}/><circle cy="-.25" r=".15" fill="#4fa3e0"/><path d="M-.2.6 0 1 .2.6Z" fill="#ff8a1f"/>`,
  },
  plane: {
    words: ['plane', 'airplane', 'aeroplane', 'jet', '飞机'],
    color: [236, 240, 246],
    home: 'sky',
    draw: ({ paint, shade }) =>
      `<path d="M-.1.1-.5.75H-.3L.3.1ZM-.1-.1-.5-.75H-.3L.3-.1Z" fill="${shade}"/><path d="M-1-.4H-.85L-.65-.15H.7Q1 0 .7.15H-.7Q-.9.1-1-.4Z" ${paint}/>`,
  },
  house: {
    words: ['house', 'home', 'hut', 'cottage', 'cabin', 'barn', 'building', '房子', '房屋'],
    color: [204, 120, 84],
    home: 'ground',
    draw: ({ paint, shade }) =>
      `<rect x="-.75" y="-.1" width="1.5" height="1.1" ${paint}/><polygon points="0,-1 1,-.1 -1,-.1" fill="${shade}"/><rect x="-.18" y=".4" width=".36" height=".6" fill="#5b3a24"/><rect x="-.58" y=".15" width=".28" height=".28" fill="#bfe3ff"/><rect x=".3" y=".15" width=".28" height=".28" fill="#bfe3ff"/>`,
  },
  castle: {
    words: ['castle', 'tower', 'fortress', '城堡'],
    color: [150, 152, 164],
    home: 'ground',
    draw: ({ paint, shade }) =>
      `<path d="M-1 1V-.6H-.8V-.4H-.65V-.6H-.5V-.1H.5V-.6H.65V-.4H.8V-.6H1V1Z" ${paint}/><path d="M-.2 1V.6A.2.2 0 0 1 .2.6V1Z" fill="${shade}"/><path d="M-.75-.6V-1L-.45-.85-.75-.72" fill="#c62828"/>`,
  },
  tree: {
    words: ['tree', 'oak', '树'],
    color: [56, 142, 60],
    home: 'ground',
    draw: ({ paint }) =>
      `<rect x="-.12" y=".2" width=".24" height=".8" fill="#6d4c33"/><path d="M0-1A.55.55 0 0 1 .5-.45 .45.45 0 0 1 .45.35H-.45A.45.45 0 0 1-.5-.45 .55.55 0 0 1 0-1Z" ${paint}/>`,
  },
  pine: {
    words: ['pine', 'fir', 'pine tree', 'fir tree', 'christmas tree', 'spruce'],
    color: [30, 104, 62],
    home: 'ground',
    draw: ({ paint }) =>
      `<rect x="-.1" y=".6" width=".2" height=".4" fill="#5d4030"/><path d="M0-1 .45-.35H.25L.6.15H.35L.75.65H-.75L-.35.15H-.6L-.25-.35H-.45Z" ${paint}/>`,
  },
  palm: {
    words: ['palm', 'palm tree'],
    color: [46, 150, 74],
    home: 'ground',
    draw: ({ fill }) =>
      `<path d="M-.08 1Q.05.2-.1-.4H.08Q.2.2.12 1Z" fill="#8a6238"/><path d="M0-.45Q-.5-.9-.95-.3 -.5-.6 0-.4 .5-.6.95-.3 .5-.9 0-.45-.1-1-.5-1-.1-.85 0-.45.1-1 .5-1 .1-.85 0-.45Z" fill="${fill}" stroke="${fill}" stroke-width=".08"/>`,
  },
  flower: {
    words: ['flower', 'daisy', 'tulip', 'sunflower', 'rose', '花'],
    color: [236, 88, 140],
    home: 'ground',
    draw: ({ fill }) =>
      `<path d="M0-.3V1M0 .6Q.4.5.4.2M0 .7Q-.4.6-.4.3" fill="none" stroke="#2f8f46" stroke-width=".09"/><g fill="${fill}">${petals}</g><circle cy="-.36" r=".2" fill="#ffd54a"/>`,
  },
  mushroom: {
    words: ['mushroom', 'toadstool'],
    color: [214, 46, 46],
    home: 'ground',
    draw: ({ paint }) =>
      `<path d="M-.25 0H.25L.32 1H-.32Z" fill="#f3e6cf"/><path d="M-1 .1A1 .95 0 0 1 1 .1Z" ${paint}/><g fill="#fff"><circle cx="-.4" cy="-.3" r=".12"/><circle cx=".15" cy="-.5" r=".14"/><circle cx=".5" cy="-.15" r=".1"/></g>`,
  },
  person: {
    words: ['person', 'man', 'woman', 'boy', 'girl', 'child', 'human', 'figure', 'people', '人'],
    color: [70, 90, 160],
    home: 'ground',
    draw: ({ paint, shade }) =>
      `<circle cy="-.72" r=".26" fill="#e8b48c"/><path d="M-.3-.42H.3L.35.3H-.35Z" ${paint}/><path d="M-.3-.35-.62.15M.3-.35 .62.15M-.17.3-.22 1M.17.3 .22 1" fill="none" stroke="${shade}" stroke-width=".16" stroke-linecap="round"/>`,
  },
  cat: {
    words: ['cat', 'kitten', 'kitty', '猫'],
    color: [236, 150, 62],
    home: 'ground',
    draw: ({ paint, fill, shade }) =>
      `<path d="M.5.8Q1 .7.85.1" fill="none" stroke="${fill}" stroke-width=".16" stroke-linecap="round"/><ellipse cy=".55" rx=".55" ry=".45" ${paint}/><path d="M-.52-.55-.5-1-.2-.75H.2L.5-1 .52-.55A.55.5 0 1 1-.52-.55Z" ${paint}/><g fill="#1c1c1c"><circle cx="-.2" cy="-.38" r=".07"/><circle cx=".2" cy="-.38" r=".07"/></g><path d="M-.07-.2H.07L0-.12ZM-.6-.2-.2-.15M-.6-.05-.2-.1M.6-.2 .2-.15M.6-.05 .2-.1" stroke="${shade}" stroke-width=".03" fill="${shade}"/>`,
  },
  dog: {
    words: ['dog', 'puppy', 'wolf', 'fox', '狗'],
    color: [156, 104, 62],
    home: 'ground',
    draw: ({ paint, fill, shade }) =>
      `<path d="M-.75.1-1-.25" stroke="${fill}" stroke-width=".14" stroke-linecap="round"/><rect x="-.8" y="-.05" width="1.3" height=".55" rx=".22" ${paint}/><path d="M-.65.4V1M-.35.4V1M.15.4V1M.4.4V1" stroke="${fill}" stroke-width=".17" stroke-linecap="round"/><rect x=".25" y="-.6" width=".6" height=".55" rx=".2" ${paint}/><rect x=".65" y="-.4" width=".35" height=".28" rx=".12" fill="${shade}"/><path d="M.3-.6 .2-.15 .42-.35Z" fill="${shade}"/><circle cx=".62" cy="-.4" r=".05" fill="#111"/>`,
  },
  fish: {
    words: ['fish', 'shark', 'whale', 'dolphin', '鱼'],
    color: [248, 132, 52],
    home: 'water',
    draw: ({ paint, shade }) =>
      `<path d="M-.5 0-1-.45V.45Z" fill="${shade}"/><ellipse cx=".15" rx=".78" ry=".5" ${paint}/><path d="M0-.45Q.2-.8.45-.4Z" fill="${shade}"/><circle cx=".55" cy="-.12" r=".09" fill="#fff"/><circle cx=".58" cy="-.12" r=".05" fill="#111"/>`,
  },
  butterfly: {
    words: ['butterfly', '蝴蝶'],
    color: [150, 84, 200],
    home: 'anywhere',
    draw: ({ paint, shade }) =>
      `<path d="M0 0Q-.5-1-.95-.7-1.1-.1 0 0-.9.1-.75.75-.3 1 0 0 .3 1 .75.75 .9.1 0 0 1.1-.1.95-.7 .5-1 0 0Z" ${paint}/><rect x="-.06" y="-.5" width=".12" height="1.1" rx=".06" fill="${shade}"/><path d="M0-.45-.2-.8M0-.45 .2-.8" stroke="${shade}" stroke-width=".05"/>`,
  },
  boat: {
    words: ['boat', 'ship', 'sailboat', 'sailing boat', 'yacht', 'sailing ship', '船'],
    color: [160, 82, 45],
    home: 'water',
    draw: ({ paint }) =>
      `<rect x="-.04" y="-1" width=".08" height="1.4" fill="#4a3222"/><path d="M.08-.9 .7.25H.08Z" fill="#fff"/><path d="M-.08-.7-.55.25H-.08Z" fill="#e9e4d8"/><path d="M-1 .4H1L.65.95H-.65Z" ${paint}/>`,
  },
  car: {
    words: ['car', 'automobile', 'taxi', 'truck', 'bus', 'van', '汽车', '车'],
    color: [214, 48, 49],
    home: 'ground',
    draw: ({ paint }) =>
      `<path d="M-1 .45V.1Q-1 0-.85-.02L-.55-.08-.3-.5H.35L.65-.08 .9 0Q1 .05 1 .2V.45Z" ${paint}/><path d="M-.4-.1-.22-.4H0V-.1ZM.08-.1V-.4H.3L.5-.1Z" fill="#cfe8ff"/><g fill="#222"><circle cx="-.55" cy=".45" r=".24"/><circle cx=".55" cy=".45" r=".24"/></g><g fill="#aaa"><circle cx="-.55" cy=".45" r=".1"/><circle cx=".55" cy=".45" r=".1"/></g>`,
  },
  snowman: {
    words: ['snowman', '雪人'],
    color: [250, 252, 255],
    home: 'ground',
    draw: ({ paint }) =>
      `<circle cy=".55" r=".45" ${paint}/><circle cy="-.05" r=".33" ${paint}/><circle cy="-.5" r=".25" ${paint}/><path d="M-.3-.68H.3M-.18-.7H.18V-1H-.18Z" fill="#222" stroke="#222" stroke-width=".07"/><path d="M0-.5 .32-.44 0-.42Z" fill="#ff8a1f"/><g fill="#222"><circle cx="-.09" cy="-.56" r=".03"/><circle cx=".09" cy="-.56" r=".03"/><circle cy="-.1" r=".04"/><circle cy=".06" r=".04"/></g>`,
  },
  smiley: {
    words: ['smiley', 'smiley face', 'face', 'emoji', 'smile', '笑脸'],
    color: [255, 214, 64],
    home: 'anywhere',
    draw: ({ paint }) =>
      `<circle r=".95" ${paint}/><g fill="#333"><circle cx="-.33" cy="-.25" r=".12"/><circle cx=".33" cy="-.25" r=".12"/></g><path d="M-.5.2Q0 .75.5.2" fill="none" stroke="#333" stroke-width=".11" stroke-linecap="round"/>`,
  },
  robot: {
    words: ['robot', 'android', '机器人'],
    color: [136, 156, 178],
    home: 'ground',
    draw: ({ paint, shade }) =>
      `<path d="M0-1V-.75M-.85 0V.5M.85 0V.5M-.3.7V1M.3.7V1" stroke="${shade}" stroke-width=".16" stroke-linecap="round"/><rect x="-.5" y="-.78" width="1" height=".62" rx=".12" ${paint}/><rect x="-.65" y="-.1" width="1.3" height=".85" rx=".12" ${paint}/><g fill="#7ff0ff"><circle cx="-.22" cy="-.5" r=".12"/><circle cx=".22" cy="-.5" r=".12"/></g><path d="M-.2-.28H.2" stroke="${shade}" stroke-width=".06"/>`,
  },
  apple: {
    words: ['apple', '苹果', 'fruit'],
    color: [206, 38, 46],
    home: 'anywhere',
    draw: ({ paint }) =>
      `<path d="M0-.45Q.95-.85.9.1 .8.95.3.95 0 .85-.3.95-.8.95-.9.1-.95-.85 0-.45Z" ${paint}/><path d="M0-.45Q0-.8.15-.95" fill="none" stroke="#5b3a24" stroke-width=".09"/><path d="M.1-.65Q.4-1 .6-.75 .4-.55.1-.65Z" fill="#4caf50"/>`,
  },
  cup: {
    words: ['cup', 'mug', 'coffee', 'cup of coffee', 'cup of tea', '杯子'],
    color: [242, 242, 244],
    home: 'anywhere',
    draw: ({ paint, fill, shade }) =>
      `<path d="M.55-.2A.35.3 0 1 1 .5.4" fill="none" stroke="${fill}" stroke-width=".14"/><path d="M-.75-.4H.6L.5.6Q.45.85.2.85H-.35Q-.6.85-.65.6Z" ${paint}/><ellipse cx="-.07" cy="-.4" rx=".67" ry=".12" fill="#5a3520"/><path d="M-.3-.6Q-.4-.75-.3-.9M.1-.6Q0-.75.1-.9" stroke="${shade}" stroke-width=".05" fill="none"/>`,
  },
  umbrella: {
    words: ['umbrella', 'parasol', '雨伞'],
    color: [210, 50, 90],
    home: 'anywhere',
    draw: ({ paint }) =>
      `<path d="M0-.9V.75A.18.18 0 0 0 .36.75" fill="none" stroke="#4a3222" stroke-width=".08"/><path d="M-1 0A1 .9 0 0 1 1 0Q.75-.2.5 0 .25-.2 0 0-.25-.2-.5 0-.75-.2-1 0Z" ${paint}/>`,
  },
  snowflake: {
    words: ['snowflake', '雪花'],
    color: [150, 200, 240],
    home: 'sky',
    draw: ({ fill }) =>
      `<g fill="none" stroke="${fill}" stroke-width=".09" stroke-linecap="round">${spokes}</g>`,
  },
} as const satisfies Readonly<Record<string, Shape>>
