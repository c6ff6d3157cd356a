/**
 * Letter-to-sound rules of English after Elovitz, Johnson, McHugh and Shore, "Automatic Translation of English Text to
 * Phonetics by Means of Letter-to-Sound Rules" (Naval Research Laboratory report 7948, 1976), slightly extended.
 * One rule per entry: left context, letters in brackets, right context, phonemes; the first that fits is taken.
 * In contexts `#` is vowels, `^` one consonant, `:` any consonants, `.` a voiced consonant, `+` e, i or y, `%` an
 * ending, `&` a sibilant, `@` a consonant after which u is long, and a space the edge of the word.
 */
export const pronunciationRules = `
 [A] =AX; [ARE] =AA R; [AR]O=AX R;[AR]#=EH R;^[AS]#=EY S;[A]WA=AX;[AW]=AO; :[ANY]=EH N IY;[A]^+#=EY;#:[ALLY]=AX L IY
 [AL]#=AX L;[AGAIN]=AX G EH N;#:[AG]E=IH JH;[A]^+:#=AE; :[A]^+ =EY;[A]^%=EY; [ARR]=AX R;[ARR]=AE R; :[AR] =AA R
[AR] =ER;[AR]=AA R;[AIR]=EH R;[AI]=EY;[AY]=EY;[AUGHT]=AO T;[AU]=AO;#:[AL] =AX L;#:[ALS] =AX L Z;[ALK]=AO K
[ALM]=AA M;[AL]^=AO L; :[ABLE]=EY B AX L;[ABLE]=AX B AX L;[ANGE]=EY N JH;#:[ANCE]=AX N S;#:[ANT] =AX N T;#:[A] =AX
[A]=AE
 [BE]^#=B IH;[BEING]=B IY IH NG; [BOTH] =B OW TH; [BUS]#=B IH Z;[BUIL]=B IH L;M[B] =;M[B]S =;[BT] =T;[BB]=B;[B]=B
 [CH]^=K;^E[CH]=K;[CHAR]A=K EH R;[CH]=CH; S[CI]#=S AY;[CI]A=SH;[CI]O=SH;[CI]EN=SH;[CC]+=K S;[C]+=S;[CK]=K
[COM]%=K AH M;[CC]=K;[C]=K
#:[DED] =D IH D;.E[D] =D;#:^E[D] =T; [DE]^#=D IH; [DO] =D UW; [DOES]=D AH Z; [DOING]=D UW IH NG; [DOW]=D AW;[DU]A=JH UW
[DGE]=JH;[DD]=D;[D]=D
#:[E] =; :[E] =IY;#[ED] =D;#:[E]D =;[EV]ER=EH V;[E]^%=IY;[ERI]#=IY R IY;[ERI]=EH R IH;#:[ER]#=ER;[ER]#=EH R;[ER]=ER
 [EVEN]=IY V EH N;#:[E]W=;@[EW]=UW;[EW]=Y UW;[E]O=IY;#:&[ES] =IH Z;#:[E]S =;#:[ELY] =L IY;#:[EMENT]=M EH N T
[EFUL]=F UH L;[EE]=IY;[EARN]=ER N; [EAR]^=ER;[EAD]=EH D;[EALTH]=EH L TH;#:[EA] =IY AX;[EA]SU=EH;[EA]=IY;[EIGH]=EY
[EI]=IY; [EYE]=AY;[EY]=IY;[EU]=Y UW;#:[EN] =AX N;#:[ENT] =AX N T;#:[ENCE] =AX N S;#:[EL] =AX L;#:[ET] =IX T;[E]=EH
[FUL]=F UH L;[FF]=F;[F]=F
[GIV]=G IH V; [G]I^=G;[GE]T=G EH;SU[GGES]=G JH EH S;[GG]=G; B#[G]=G; [GN]=N;[GREAT]=G R EY T;[G]N =;[G]NED =
[G]+=JH; [GH]=G;#[GH]=;[G]=G
 [HAV]=HH AE V; [HERE]=HH IY R; [HOUR]=AW ER; [HONEST]=AA N EH S T;[HOW]=HH AW;[H]#=HH;[H]=
 [IN]=IH N; [I] =AY;[IN]D=AY N;[IER]=IY ER;#:R[IED]=IY D;[IED] =AY D;[IEN]=IY EH N;[IE]T=AY EH;[IEW]=Y UW; :[I]%=AY
[I]%=IY;[IE]=IY;[I]^+:#=IH;[IR]#=AY R;[IZ]%=AY Z;[IS]%=AY Z;[I]D%=AY;+^[I]^+=IH;[I]T%=AY;#:^[I]^+=IH;[I]^+=AY
[IR]=ER;[IGH]=AY;[ILD]=AY L D;[IGN] =AY N;[IGN]^=AY N;[IGN]%=AY N;[IQUE]=IY K;[I]A=IY;[I]O=IY;#:[I] =IY;[I]=IH
[J]=JH
 [K]N=;[KK]=K;[K]=K
[LO]C#=L OW;L[L]=;#:^[L]%=AX L;[LEAD]=L IY D;[L]=L
[MOV]=M UW V;[MM]=M;[M]=M
E[NG]+=N JH;[NG]R=NG G;[NG]#=NG G;[NGL]%=NG G AX L;[NG]=NG;[NK]=NG K; [NOW] =N AW;M[N] =;[NN]=N;[N]=N
[OF] =AX V;[OROUGH]=ER OW;#:[OR] =ER;#:[ORS] =ER Z;[OR]=AO R; [ONE]=W AH N;[OWN] =AW N;[OW]=OW; [OVER]=OW V ER
[OV]=AH V;[O]^%=OW;[O]^EN=OW;[O]^I#=OW;[OL]D=OW L;[OUGHT]=AO T;[OUGH]=AH F; [OU]=AW;H[OU]S#=AW;[OUS]=AX S;[OUR]=AO R
[OULD]=UH D;^[OU]^L=AH;[OUP]=UW P;[OU]=AW;[OY]=OY;[OING]=OW IH NG;[OI]=OY;[OOR]=AO R;[OOK]=UH K;[OOD]=UH D;[OO]=UW
[O]E=OW;[O] =OW;[OA]=OW; [ONLY]=OW N L IY; [ONCE]=W AH N S;[ON'T]=OW N T;C[O]N=AA;[O]NG=AO; :^[O]N=AH;I[ON]=AX N
#:[ON] =AX N;#^[ON]=AX N;[O]ST =OW;[OF]^=AO F;[OTHER]=AH DH ER;[OSS] =AO S;#:^[OM]=AH M;[O]=AA
[PH]=F;[PEOP]=P IY P;[POW]=P AW;[PUT] =P UH T; [PS]=S; [PN]=N;[PP]=P;[P]=P
[QUAR]=K W AO R;[QUE] =K;[QU]=K W;[Q]=K
 [RE]^#=R IY;[RRH]=R;[RH]=R;[RR]=R;[R]=R
[SH]=SH;#[SION]=ZH AX N;[SOME]=S AH M;#[SUR]#=ZH ER;[SUR]#=SH ER;#[SU]#=ZH UW;#[SSU]#=SH UW;#[SED] =Z D;#[S]#=Z
[SAID]=S EH D;^[SION]=SH AX N;[S]S=;.[S] =Z;#:.E[S] =Z;#:^##[S] =Z;#:^#[S] =S;U[S] =S; :#[S] =Z;##[S] =Z; [SCH]=S K
[S]C+=;#[SM]=Z M;#[SN]'=Z AX N;[STLE] =S AX L;[S]=S
 [THE] =DH AX;[TO] =T UW;[THAT] =DH AE T; [THIS] =DH IH S; [THEY]=DH EY; [THERE]=DH EH R;[THER]=DH ER;[THEIR]=DH EH R
 [THAN] =DH AE N; [THEM] =DH EH M;[THESE] =DH IY Z; [THEN]=DH EH N;[THROUGH]=TH R UW;[THOSE]=DH OW Z;[THOUGH] =DH OW
 [THUS]=DH AH S;[TH]=TH;#:[TED] =T IH D;S[TI]#N=CH;[TI]O=SH;[TI]A=SH;[TIEN]=SH AX N;[TUR]#=CH ER;[TU]A=CH UW; [TWO]=T UW
[TCH]=CH;[TT]=T;[T]=T
 [UN]I=Y UW N; [UN]=AH N; [UPON]=AX P AO N;@[UR]#=UH R;[UR]#=Y UH R;[UR]=ER;[U]^ =AH;[U]^^=AH;[UY]=AY; G[U]#=;G[U]%=
G[U]#=W;#N[U]=Y UW;@[U]=UW;[U]=Y UW
[VIEW]=V Y UW;[V]=V
 [WERE]=W ER;[WA]S=W AA;[WA]T=W AA;[WHERE]=W EH R;[WHAT]=W AA T;[WHOL]=HH OW L;[WHO]=HH UW;[WH]=W;[WAR]=W AO R
[WOR]^=W ER;[WR]=R;[W]=W
 [X]=Z;[X]=K S
[YOUNG]=Y AH NG; [YOU]=Y UW; [YES]=Y EH S; [Y]=Y;#:^[Y] =IY;#:^[Y]I=IY; :[Y] =AY; :[Y]#=AY; :[Y]^+:#=IH; :[Y]^#=AY
[Y]=IH
[ZZ]=Z;[Z]=Z
[']=
`
