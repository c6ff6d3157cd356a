/**
 * Each rule is a line with categories and scores, followed by patterns (see patterns.ts), separated by lines and `;`. If a
 * pattern itself contains `not`, that negation does not weaken the rule.
 */
export const rules = `
# harassment/threatening 0.9, harassment 0.75, violence 0.75
i|we ~1 will|going|want|gonna|would|shall ~3 @kill|@hurt|destroy|rape|end ~1 =you|yourself|your
i|we ~1 will|going|want|gonna ~3 @kill|@hurt|rape ~2 @person
=you ~1 going|will|should|deserve|must ~2 die|bleed|suffer .;=you ~1 going|should|deserve|must ~2 die|bleed|suffer
you ~1 dead =meat|man|when|once;=you are ~1 dead .;=you will|going ~2 be dead;slit|cut ~1 your|her|his|their throat
bullet in|through|into ~1 your|his|her|their;break|snap|crush|smash ~1 your ~1 @bone
beat|kick ~2 hell|crap|shit|life out of ~1 @person;burn ~2 your|his|her|their ~1 house|home|car|office down;=kill you
rip ~1 your ~2 head|heart|throat|face ~1 off|out|apart;make =you ~1 suffer|bleed|scream|beg
# harassment/threatening 0.66, harassment 0.6, violence 0.4
know where =you live|work|sleep;watch|better your back;sleep with one eye open
=you will ~1 regret|pay ~2 this|life|blood;hope =you ~1 die|suffer|burn|rot
come|coming for =you ~3 family|kids|house|tonight;find you and ~3 @kill|@hurt
# harassment 0.9, self-harm 0.6, self-harm/instructions 0.55, harassment/threatening 0.55
go|just|should|please ~1 =kill|hang|hurt|shoot yourself;< =kill yourself;=kill yourself;go die;drink bleach
nobody would|will miss =you
# harassment 0.72
=you ~2 @insult|@curse;you are ~3 @insult|@curse;shut ~1 up ~2 @insult|@curse
piece|sack|load of shit|trash|garbage|crap;nobody|everyone|everybody|no|one ~1 like|love|want|hate|care =you
=fuck =you|off|yourself;you ~1 disgust ~1 me|everyone;< @insult|@curse you;hate|despise =you|=your ~1 @insult|guts
world ~2 better without =you;go to hell;you make me sick;you ~1 never amount|been born;what ~4 @insult =you are
# harassment 0.4
@curse;you suck;i hate =you
# hate 0.82, harassment 0.5
@slur;i|we ~2 hate|despise|detest|loathe ~2 @group;all ~1 @group ~2 are ~2 @inferior|@curse
@group ~1 are ~3 @inferior|@curse;=dirty|=filthy|=stupid|=fucking|=damn|=lazy @group
@groupNoun ~2 should not ~2 vote|exist|live|rights|allowed|work|breed|here
go|send|ship ~2 back to ~2 country|africa|mexico|china|india|israel;get|rid ~1 rid|of ~1 of|all ~2 @groupNoun
@groupNoun ~2 ruin|destroy|infest|infect|poison|invade ~2 country|society|world|city|civilization|neighborhood
@group people are ~3 @inferior;@group race ~2 inferior|superior|pure;=white power|supremacy ~2 now|forever|rules
@group ~1 not ~1 human|people;hitler ~2 right|finish|good|hero
# hate 0.9, hate/threatening 0.92, violence 0.7, harassment 0.6
death to ~2 @group;should|must|let|will|want|need|going ~3 @exterminate ~3 @groupNoun|@slur
< @exterminate ~1 all|every|the|those ~1 @groupNoun|@slur;=kill all ~2 @groupNoun|@slur
gas|exterminate|lynch ~2 @groupNoun|@slur
@group|@slur ~2 should|must|deserve ~3 die|dead|kill|exterminate|shot|hang|gas|burn|eliminate|eradicate|wiped
wipe ~2 @group ~2 out|off;burn ~2 down ~3 @group ~2 mosque|church|synagogue|home|house
burn|bomb ~2 mosque|synagogue|temple
# illicit 0.88, illicit/violent 0.85, violence 0.4
@how ~6 @make ~5 @explosive|@chemical;@how ~6 @kill|poison|strangle|kidnap ~3 @person
@how ~5 get|buy|obtain|build|make|print|convert|order ~4 @gun|@explosive|@chemical;ingredient ~4 @explosive|napalm
where ~3 buy|get|obtain|order ~4 untraceable|illegal|unregistered|ghost ~2 @gun;=ghost =gun
hire ~2 hitman|assassin|killer;@how ~5 get ~1 away ~1 with murder|killing;@how ~5 dispose|hide|bury ~3 =body|corpse
untraceable poison|=gun;@how ~6 blow ~1 up ~3 @place;@how ~5 @explosive|@chemical at|in ~1 home
# illicit 0.4, illicit/violent 0.4
@make ~3 @explosive|@chemical
# illicit 0.82
@how ~5 @make|grow|extract ~3 @drug
@make|cook ~2 =meth|methamphetamine|fentanyl|heroin|cocaine ~3 home|kitchen|lab|steps
@how|where|need|want ~5 buy|get|sell|order|smuggle|score|import ~4 @drug;@how ~4 shoplift
@how ~5 steal|rob ~4 car|money|store|credit|card|identity|bank|house|bike|from|package|data|password|phone
@how ~4 hack|crack|breach|hijack ~5 @account;hack into ~4 @account;@how ~4 hotwire
@how ~4 @make|forge|counterfeit|print|fake|get ~3 fake|counterfeit|forged|false ~2 @money|@papers
@how ~4 forge|counterfeit|fake ~3 @money|@papers;@how ~4 launder ~3 @money;launder ~2 money ~3 without|undetected
@how ~4 evade|dodge ~2 tax
write|create|make|build|develop|give|code ~4 @malware ~3 steal|encrypt|infect|spread|undetected|victim|that
@how|write|create ~5 phishing;@how ~5 bypass|disable ~4 alarm|security|immobilizer|camera
@how ~4 pick ~2 neighbor|someone ~2 lock
@how ~4 scam|defraud|blackmail|extort|stalk ~3 @person|elderly|insurance|company
buy|sell|use ~2 stolen ~2 credit|card|identity|data;@how ~5 cheat ~2 drug test
@how ~4 break into ~3 car|house|home|building|store|account
# self-harm 0.9, self-harm/intent 0.92
i ~4 want|going|plan|thinking|will|wish|ready|about|try|gonna|decided|might|have ~4 kill|killing|hurt|hang|cut|harm|shoot|starve|drown|end|burn @self
kill @self;kill|end|take|taking my ~1 life;i ~2 want|wish ~2 die|dead
i ~2 want|wish ~2 disappear|vanish forever|from|.;i ~4 jump|throw ~1 off ~2 bridge|building|roof|cliff
i ~1 =wish i ~1 =was|were ~1 dead;i ~1 am ~2 suicidal;i ~2 cut|burn|starve @self;better off ~1 dead|without me
think|consider|contemplate|plan|attempt ~2 my|commit|about|of ~2 suicide|overdose|ending|killing ~1 it|@self
i ~3 commit suicide;i ~3 overdose;cut ~1 my ~1 wrist|arm|skin|thigh;i ~3 suicide note|letter
no|any reason|point ~1 to|in live|living|life|going;end it all now|tonight|today|soon|.
# self-harm 0.9, self-harm/intent 0.92
i ~2 not ~1 want ~2 alive|exist;i ~2 not ~1 want ~2 live|wake|here ~1 .|anymore|and|any|ever|again
i ~1 can not go on ~2 anymore|longer|living|like;not ~1 worth|want living|life;i ~2 not ~2 be alive
# self-harm 0.85, self-harm/instructions 0.9
@how ~5 kill|hurt|cut|hang|harm|starve|poison|suffocate @anyself;@how ~4 commit|attempt|complete suicide
painless|easy|quick|best|effective|fast|peaceful ~1 way|method ~3 die|suicide|overdose|kill|end
suicide method|instruction|technique
how many|much ~5 pill|tablet|tylenol|paracetamol|aspirin|dose|ibuprofen ~6 die|overdose|kill|lethal|fatal
lethal|fatal dose ~4 i|me|myself|suicide;@how ~5 purge|starve|anorexic|bulimic|thinspo
@how ~4 hide ~3 cut|self|bulimia|anorexia;@how ~4 tie ~2 noose;@how ~4 overdose
# self-harm 0.35
@suicide;self harm;cutting @self;overdose;anorexia|bulimia
# sexual 0.8
@explicit;suck|lick|ride|stroke|rub|fuck ~3 my|his|her|your ~2 @coarse|@explicit|penis|breast|nipple|genital|clit
write|tell|describe|generate|give|roleplay|want ~5 erotic|pornographic|smut|porn|sexual|steamy|explicit ~2 story|scene|fantasy|content|roleplay|fanfic|detail
=fuck me|her|him ~1 hard|harder|deep|now|all|from|daddy|slowly;send ~2 nude
want|going ~2 fuck|ride|taste ~2 =you|your|her|him;naked|nude ~3 @body;hardcore|free|live|watch porn|sex
@sexual ~5 @sexual ~6 @sexual;dominatrix|escort ~3 service|hour|night|rates
have|had|having rough|hot|wild|passionate|kinky sex
# sexual 0.3
@sexual|@coarse
# sexual 0.9, sexual/minors 0.95
@minor ~1 porn|pornography|nude|naked|erotic|erotica|sexual ~1 image|picture|photo|story|content|video|fantasy|act
@minor porn|pornography|erotica|nude;porn|nude|naked|erotic|sexual|sexually|sexy ~4 @minor
sex|intercourse|fuck ~2 with ~3 @minor;sexual|sexually ~2 attracted ~2 to ~2 @minor;@minor ~4 @explicit
@explicit ~5 @minor;seduce|groom ~3 @minor
# violence 0.62
@kill ~2 @person;shoot|shot|open ~1 up|fire ~2 @place|crowd;open fire ~3 @person;@person ~2 be|was|were|get|got @kill
@kill ~1 to death;bleed ~1 to|out death;beat|stab|burn|torture|stone|strangle ~2 to death;mass shooting|murder|killing
blood bath;torture ~3 @person
# violence 0.88, illicit/violent 0.55, illicit 0.5, harassment/threatening 0.4
bomb|attack|=blow ~1 up ~4 @place ~2 tomorrow|tonight|today|soon|next
i|we ~1 will|going|want ~2 bomb|=blow|shoot|attack ~2 up ~3 @place
i|we ~1 will|going|want ~3 bomb|burn|attack ~3 @place;shoot up ~3 @place;plant ~2 bomb ~4 @place
# violence 0.4
@hurt ~2 @person;@kill;blood;die|dead|death ~4 violent|brutal|horrible
# violence 0.75, violence/graphic 0.72
@gore;blood ~3 pour|spray|gush|splatter|spurt|pool|drip|soak|squirt
@inside ~3 spill|splatter|hang|ripped|torn|exposed|everywhere;sever ~1 @limb;slit|cut|slash ~3 throat
throat ~2 slit|cut|slash;flesh ~3 tear|torn|rip|burn|peel|rot;bone ~2 crack|snap|shatter|stick|protrude
rip|tear|gouge|hack ~4 @limb|@inside|eye|heart ~2 off|out|apart;skin ~2 peel|flay|melt
head|skull ~3 explode|smash|crush|split|cave|open ~2 blood|brain|open
`

/** Harmless phrases: the words they match are ignored by all other rules. */
export const harmless = `
@kill|end|terminate|stop|=attack ~3 process|thread|job|task|daemon|server|session|container|program|app|script|instance|pid|zombie|command|connection|shell|tab|query
kill ~1 pain;kill|switch switch;process|thread|job|child|parent ~2 kill|killed|terminated;kill ~2 two birds
kill ~2 time|mood|vibe|weed|bug|bacteria|germ|virus|mosquito|ant|pest|cancer|cell|insect|light|engine|battery|buzz|project|deal|idea|plant|tumor|parasite|rumor|appetite|hour|afternoon
killer app|feature|whale|instinct|deal|idea|bee|robot|instinct|workout|combo
kill|killing ~1 it ~2 .|on|at|out|tonight|today|with|in;nobody|no|one love ~1 you ~1 like|more|better
gun license|licence|permit|safe|owner|oil;dressed to kill;my ~2 is|are kill|killing ~1 me
kill ~1 me ~2 softly|laughing;if looks could kill
execute ~4 code|command|query|script|program|plan|strategy|statement|test|function|task|order|order|trade|contract|instruction|procedure|migration|pipeline|it|sql
shoot|shot ~4 photo|film|video|scene|movie|hoop|basketball|portrait|picture|camera|email|message|goal|penalty|arrow|star|moon|blank|commercial|documentary|episode|wedding|text|free|pool|three|game|question|idea
photo|film|movie|video|wedding|trouble shoot|shooting
beat ~3 egg|team|record|game|level|score|butter|market|odds|traffic|heat|drum|champion|deadline|expectation|boss|opponent|mixture|cream|batter|rush|price|competitor|rival|side|chess|final
heart|drum|music beat;attack ~2 surface|vector|problem|ad|issue|question|plan|style
heart|panic|asthma|ddos|dos|phishing|counter|cyber|brute|force|anxiety attack
burn ~3 calorie|fat|cd|dvd|wood|candle|fuel|rubber|oil|gas|energy|toast|food|bridge|rice|dinner|cookie|cake|midnight
punch ~2 card|line|bowl|hole|ticket|number;fruit punch;hit ~2 gym|road|book|button|key|enter|save
whip ~3 cream|egg|up|topping|white;kick ~2 off|ball|habit|start|goal|bucket
bath|photo|seed|stink|cherry|love|time|water|glitter|fork|logic|zip bomb;bomb shelter|disposal|squad|cyclone
bomb ~1 the|my|this ~1 test|exam|interview|joke|audition
nerve|chlorine ~3 cell|damage|ending|pool|bleach|system|water|tablet
dying|die ~2 to|of|for|from =know|see|hear|meet|try|laughter|laughing|laugh|hear|read|boredom|hunger|embarrassment|curiosity
laugh ~1 to death;scared|bored|worked to death;to die for;hang ~2 myself a|the|some|my
hang ~2 out|up|on|picture|coat|clothes|painting|laundry|curtain|lamp|decoration|shelf
cut ~3 cake|cost|paper|hair|grass|bread|budget|vegetable|tax|corner|fabric|onion|wood|chase|calorie|glass|tree|ribbon|class
prevent|prevention|stop|avoid|support|awareness|hotline|lifeline|help|counsel|understand|reduce|fight|risk|warn|treat|survivor|talk ~5 suicide|suicidal|self|overdose|anorexia|bulimia ~1 harm
suicide|suicidal|overdose|harm ~2 prevention|hotline|squad|awareness|lifeline|door|rate|watch|bereavement|statistics|research|epidemic
cell|career|political|assisted suicide
sex education|ed|ratio|chromosome|determination|hormone|discrimination|differences|therapist
safe|same|opposite|biological|unprotected|single sex
sexual|sexually health|transmitted|reproduction|orientation|harassment|assault|dimorphism|education|selection|abuse|consent|identity|violence
sex of ~2 baby|animal|fish|bird|child;breast cancer|feeding|milk|screening|stroke|pump|chicken|exam|surgery
breast feed;chicken|turkey|duck breast;naked eye|truth|mole|juror
nude color|lipstick|palette|shoes|painting|heels;strip mall|club|tease|of|comic|light|search|poker|steak
strip ~3 paint|wallpaper|whitespace|html|wire|tag|bed
garbage collector|collection|can|truck|disposal|bag|day|in|bin;trash can|bin|bag|day|collection
you ~2 not ~2 @insult;you are what you eat;waste ~2 time|water|energy|food|money
fat ~1 burning|free|content|client|cell|percentage|intake|loss|cat
weak ~2 password|signal|point|spot|reference|acid|link|key|encryption|typed|connection;guinea pig
ugly duckling|sweater|code;stupid question|mistake|idea|game|bug|error|simple|joke|fast
how ~3 detect|prevent|remove|avoid|protect|defend|secure|spot|report|recognize|recover|recognise|clean|stop|block|treat|avoid ~8 hack|malware|ransomware|virus|phishing|scam|spyware|trojan|keylogger|botnet|shoplift|theft|identity|counterfeit|stolen|poison|attack|overdose|burglary|fraud|bomb|stalk|steal
how ~1 do|does|did ~1 hacker|attacker|criminal|thief|scammer|burglar|malware|ransomware|gang|terrorist|cheater
make ~2 virus ~2 vaccine
virus|worm ~2 infection|vaccine|protein|variant|outbreak|compost|bin|particle|replicate|cell|spread
nail|glue|staple|heat|water|spray|caulk|squirt|nerf|toy|massage|radar|price|paint|paper|rubber|lego|wooden|cardboard gun
sewing|washing|coffee|vending|virtual|time|state|slot|answering|learning|turing|espresso machine
machine learning|translation|code|washable|room|shop|vision|tool
gun control|law|violence|safety|policy|ownership|show
bank|password|wifi|account ~2 reset|recovery|settings|balance
crack ~2 egg|joke|smile|nut|safe|whip|case|window|screen|code|knuckle;crack interview;hack ~1 day|week|night
life|growth hack
virtual|escape|id|identity ~1 machine|room|column|provider|field|management|theft|protection
=id ~2 column|field|number|of;white noise|house|paper|space|board|wine|hat|blood|box|rice|balance|list
black|white ~1 box|hole|market|friday|coffee|board|tea|cat|dog|pepper|belt|bean|list|shirt|paint|car|bear|ink
indian|chinese|polish|mexican|turkish|african|asian|arab ~1 food|restaurant|ocean|elephant|cuisine|recipe|tea|market|coffee|spring|takeaway|language|new
cock tail|crow|fight;blue|great|coal|willow|marsh tits;anal retentive;horny toad|goat|lizard
vagina monologues
`
