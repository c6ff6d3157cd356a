import { stemOf } from './words.ts'

/** Groups of words with nearly the same meaning or subject, separated by commas. A word may belong to several. */
const groups = `
car automobile vehicle truck motor driver drive highway, bicycle bike cycle cyclist cycling, plane airplane aircraft
flight fly pilot airport airline, train railway rail locomotive station, ship boat vessel sail sailor harbor harbour
ferry, dog puppy hound canine pup, cat kitten feline kitty, animal creature beast wildlife pet, happy glad joyful
cheerful delighted pleased content, sad unhappy sorrowful depressed miserable gloomy, angry furious mad irate annoyed
rage, afraid scared fearful frightened terrified fear, big large huge enormous giant gigantic massive, small little
tiny miniature minute, fast quick rapid swift speedy speed, slow sluggish gradual, begin start commence launch
initiate, end finish complete conclude terminate stop, buy purchase acquire shop shopping, sell vendor merchant retail
seller, price cost expense fee charge, money cash currency dollar euro finance financial bank banking, interest rate
loan credit mortgage debt, stock share market investor investment invest trading, doctor physician medical medicine
clinic hospital surgeon nurse patient, ill sick disease illness infection fever, house home residence dwelling
apartment flat, city town urban municipality metropolis, country nation state, food meal eat dish cuisine dinner lunch
breakfast, cook bake fry boil recipe kitchen chef oven, pasta spaghetti noodle macaroni tomato sauce, bread loaf dough
flour baker bakery, fruit apple banana orange pear grape, drink beverage coffee tea juice water, child kid children
boy girl infant baby toddler, man male men gentleman, woman female women lady, king queen prince princess monarch
royal throne, teacher instructor professor tutor school student pupil class lesson, learn study education teach
training train, book novel author writer literature read reader library, movie film cinema actor actress director,
music song melody tune musician concert band guitar piano, picture image photo photograph photography camera, computer
laptop machine pc desktop hardware, program software code programming developer application app programmer, internet
web online website network, password login account sign authentication credential, reset restore recover change, bug
error fault defect failure crash, fix repair mend correct solve, phone telephone mobile smartphone cellphone call,
email mail message letter, weather rain sunny snow storm cloud forecast climate temperature, hot warm heat, cold cool
chilly freeze frozen ice, sea ocean coast beach marine, river stream creek lake, mountain hill peak summit climb
hiking hike, forest wood tree jungle, plant flower garden grow gardener, sport game play player team match, football
soccer goal league, win victory triumph champion beat, lose defeat loss, war battle military army soldier combat, law
legal court judge lawyer attorney, police officer crime criminal arrest thief steal, government politics political
president minister parliament election vote, job work employment career occupation employee employer, company business
firm corporation enterprise, help assist aid support, answer reply respond response, ask question inquire query, say
tell speak talk, think believe consider opinion, beautiful pretty lovely attractive gorgeous, good great excellent
fine superb, bad awful terrible poor horrible, refund reimburse return reimbursement, delivery shipping ship package
parcel courier, trip travel journey voyage tourist vacation holiday, space planet star astronomy galaxy astronaut
telescope moon orbit rocket, science scientist research experiment laboratory, mathematics math equation algebra
number calculate arithmetic, gun weapon rifle pistol firearm, sleep nap rest bed dream, run running jog sprint runner,
mat rug carpet, chair sofa couch seat sit`

const concepts = new Map<string, readonly number[]>()
for (const [id, group] of groups.split(',').entries())
  for (const word of group.trim().split(/\s+/)) {
    const stem = stemOf(word)
    const known = concepts.get(stem) ?? []
    if (!known.includes(id)) concepts.set(stem, [...known, id])
  }

/** The numbers of the groups that a stem belongs to. */
export function conceptsOf(stem: string): readonly number[] {
  return concepts.get(stem) ?? []
}
