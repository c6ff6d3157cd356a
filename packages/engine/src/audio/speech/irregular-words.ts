import { isPhoneme, type Phoneme } from './phonemes.ts'

/** Frequent words that the rules would get wrong, and the names of letters, which are spelt out in abbreviations. */
const lines = `
a AX|an AE N|and AE N D|any EH N IY|are AA R|as AE Z|because B IH K AO Z|been B IH N|both B OW TH|busy B IH Z IY
business B IH Z N IX S|come K AH M|could K UH D|do D UW|does D AH Z|done D AH N|don't D OW N T|door D AO R|eye AY
eyes AY Z|four F AO R|friend F R EH N D|from F R AH M|give G IH V|given G IH V AX N|gone G AO N|good G UH D|great G R EY T
half HH AE F|has HH AE Z|have HH AE V|heard HH ER D|heart HH AA R T|height HH AY T|hello HH AX L OW|her HH ER|here HH IY R
his HH IH Z|hour AW ER|i AY|i'm AY M|into IH N T UW|is IH Z|isn't IH Z AX N T|it's IH T S|island AY L AX N D|its IH T S
just JH AH S T|knowledge N AA L IX JH|language L AE NG G W IX JH|laugh L AE F|listen L IH S AX N|live L IH V|love L AH V
machine M AX SH IY N|many M EH N IY|money M AH N IY|month M AH N TH|most M OW S T|mother M AH DH ER|move M UW V|mr M IH S T ER
mrs M IH S IX Z|ms M IH Z|nothing N AH TH IH NG|of AX V|off AO F|often AO F AX N|on AA N|once W AH N S|one W AH N|only OW N L IY
other AH DH ER|our AW ER|people P IY P AX L|police P AX L IY S|pretty P R IH T IY|put P UH T|question K W EH S CH AX N
read R IY D|ready R EH D IY|river R IH V ER|said S EH D|says S EH Z|school S K UW L|science S AY AX N S|sea S IY|shoe SH UW
should SH UH D|some S AH M|son S AH N|soul S OW L|sure SH UH R|the DH AX|their DH EH R|there DH EH R|they DH EY|though DH OW
thought TH AO T|through TH R UW|time T AY M|to T UW|today T AX D EY|together T AX G EH DH ER|tomorrow T AX M AA R OW|two T UW
use Y UW Z|used Y UW Z D|very V EH R IY|was W AA Z|water W AO T ER|we W IY|were W ER|what W AH T|where W EH R|who HH UW
woman W UH M AX N|women W IH M IX N|word W ER D|work W ER K|world W ER L D|would W UH D|year Y IY R|you Y UW|your Y AO R
young Y AH NG|zero Z IH R OW|seven S EH V AX N|eleven IH L EH V AX N|eight EY T|eighty EY T IY|eighteen EY T IY N
nine N AY N|nineteen N AY N T IY N|ninety N AY N T IY|enough IH N AH F|laughing L AE F IH NG|beautiful B Y UW T IX F UH L
hundred HH AH N D R IX D|thousand TH AW Z AX N D|million M IH L Y AX N|billion B IH L Y AX N|minus M AY N AX S|oh OW
gateway G EY T W EY|model M AA D AX L|data D EY T AX|computer K AX M P Y UW T ER|audio AO D IY OW|video V IH D IY OW
image IH M IX JH|server S ER V ER|open OW P AX N|again AX G EH N|answer AE N S ER|another AX N AH DH ER|color K AH L ER
doctor D AA K T ER|saint S EY N T|street S T R IY T|dollar D AA L ER|dollars D AA L ER Z|euro Y UH R OW|euros Y UH R OW Z
percent P ER S EH N T|april EY P R AX L|january JH AE N Y UW EH R IY|monday M AH N D EY|wednesday W EH N Z D EY
letter-a EY|letter-b B IY|letter-c S IY|letter-d D IY|letter-e IY|letter-f EH F|letter-g JH IY|letter-h EY CH|letter-i AY
letter-j JH EY|letter-k K EY|letter-l EH L|letter-m EH M|letter-n EH N|letter-o OW|letter-p P IY|letter-q K Y UW|letter-r AA R
letter-s EH S|letter-t T IY|letter-u Y UW|letter-v V IY|letter-w D AH B AX L Y UW|letter-x EH K S|letter-y W AY|letter-z Z IY
`

export const irregularWords: ReadonlyMap<string, readonly Phoneme[]> = new Map(
  lines
    .split(/[|\n]/)
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [word = '', ...sounds] = entry.split(' ')
      return [word, sounds.filter(isPhoneme)]
    }),
)
