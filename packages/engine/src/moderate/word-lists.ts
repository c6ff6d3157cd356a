import { hashOf } from '../embed/vector.ts'

/**
 * Plain word lists, which match any form of each word. Words of reporting are used by people who report, study, heal or tell
 * stories.
 */
const lists = `
kill: kill murder slaughter strangle behead assassinate massacre lynch stab shoot butcher slay execute drown
hurt: hurt beat punch attack torture maim smash choke stomp cripple harm injure slap kick burn bash whip bludgeon
exterminate: kill exterminate gas eradicate eliminate lynch slaughter massacre cleanse annihilate murder
person: you him her them everyone everybody somebody someone anyone people person family wife husband girlfriend
  boyfriend boss neighbor neighbour teacher classmate coworker colleague child kid mother mom father dad brother
  sister man woman men women guy girl boy cop officer student victim crowd ex roommate baby daughter son president
  politician judge shopper customer stranger tourist civilian human
group: jew jewish muslim christian hindu catholic black white asian mexican immigrant migrant refugee foreigner gay
  lesbian homosexual transgender trans woman women arab african indian chinese latino hispanic gypsy romani disabled
  islamic buddhist sikh polish turk turkish
groupNoun: jew muslim christian hindu catholic mexican immigrant migrant refugee foreigner gay lesbian homosexual
  woman women arab african latino hispanic gypsy asian turk
inferior: vermin subhuman cockroach parasite rat filth filthy disease plague scum inferior animal savage degenerate
  trash garbage dirty disgusting evil stupid lazy criminal terrorist rapist thief cancer worthless subordinate
insult: idiot moron stupid dumb loser worthless pathetic ugly useless disgusting trash garbage scum coward imbecile
  fool failure freak creep pig fat waste weak cretin clown embarrassment
how: how instruction step guide tutorial recipe method teach explain tell show way manual help
make: make build construct create assemble cook produce manufacture synthesize synthesise brew craft print
explosive: bomb explosive grenade napalm thermite molotov ied tnt c4 semtex detonator nitroglycerin landmine bombs
chemical: sarin ricin anthrax tabun novichok phosgene vx chlorine mustard bioweapon nerve
gun: gun pistol rifle firearm silencer suppressor ammunition glock ar15 handgun shotgun machine
drug: meth methamphetamine cocaine heroin fentanyl mdma ecstasy lsd crack ketamine ghb pcp amphetamine
place: school church mosque synagogue temple airport mall building hospital station stadium concert hotel office
  embassy
money: money cash bill banknote currency dollar euro check cheque
papers: passport license licence id visa identity document prescription certificate signature
account: account email facebook instagram snapchat bank wifi phone password webcam website server network computer
  database router iphone gmail atm laptop
malware: malware ransomware keylogger trojan botnet spyware rootkit virus worm exploit
minor: child children kid minor underage preteen teenager toddler schoolgirl schoolboy infant loli shota kindergartner
  prepubescent teen
sexual: sex sexual naked nude erotic porn pornography pornographic orgasm nipple penis vagina genital fuck moan thrust
  horny aroused climax undress strip seductive seduce lust naughty lingerie boobs breast butt
body: body breast breasts chest thigh ass photo picture pic image selfie video girl boy woman man
gore: disembowel decapitate dismember entrails viscera mutilate flay eviscerate gore gory dismemberment decapitation
  mutilation disembowelment
inside: gut guts intestine brain organ eyeball flesh entrails bone innards
limb: head limb arm hand finger leg foot ear tongue
bone: neck leg arm bone face jaw nose skull kneecap teeth fingers ribs
self: myself
anyself: myself yourself oneself themselves themself himself herself
suicide: suicide suicidal
negation: not never no without nobody none nor
reporting: according report reported reporter journalist newspaper police detective investigate investigation arrest
  convict sentence court trial prosecutor charged war battle soldier history historian historical century museum
  documentary study studies researcher research statistics doctor nurse patient surgeon surgery hospital medical
  medicine clinic therapist treatment anatomy symptom diagnosis novel chapter character plot film movie episode author
  fiction game player level law bill policy campaign charity survivor memorial condemn denounce encyclopedia textbook
  scholar analysis article news educational
`

/** Slurs, explicit words and swear words: FNV-1a hashes of their stems in base 36, so that nobody has to read them. */
const hashedLists = `
slur: 19mj789 1ogqgnx 1p1uv49 5kl94a 1x6y0cl f79hgw 15fvo3p xd3jf5 1ycbij3 1wktobu 10yzs8e 157bpup
explicit: 1tuoqs8 io2faw yvi33c 1snrtdf 1sqz32n o5pdfr 10xihbf 1bmual3 16ics0w 1t7cbmx 164axu 1oxtwb7 x1xmz0 19laqet
  1ded4zk k43kvm 10w411u 139yxdt 1vgju6o brtuq5 y2ob53 1aqvv77
coarse: s31e38 1npkzk5 1esczzy 1frp2cz 1aa0xqj 172tocr 1ry26ve ykn8e7
curse: 14fkbtf bivrrp ykn8e7 fee1dy 1akm78h zwanhs 1fhzz46 u74m7v oa70vd 11r9el9 1yawuzt 19o6l49
`

/** Returns the names of the lists that contain a stem, in the form of patterns: `@kill`. */
export function createTagger(
  stemOf: (word: string) => string,
): (stem: string) => readonly string[] {
  const plain = tagsByWord(lists, stemOf)
  const hashed = tagsByWord(hashedLists, (hash) => hash)
  return (stem) => [
    ...(plain.get(stem) ?? []),
    ...(hashed.get((hashOf(stem) >>> 0).toString(36)) ?? []),
  ]
}

function tagsByWord(source: string, keyOf: (word: string) => string) {
  const tags = new Map<string, string[]>()
  for (const [, name, words = ''] of source.matchAll(/(\w+):([^:]+)(?=\n\w+:|\n$)/g))
    for (const word of words.trim().split(/\s+/)) {
      const known = tags.get(keyOf(word)) ?? []
      tags.set(keyOf(word), [...known, `@${name}`])
    }
  return tags
}
