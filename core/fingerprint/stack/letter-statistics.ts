/**
 * After two letters those that follow most often, the most frequent first; a dot stands for the start of a word. Counted in 32,000 names of
 * files (libraries of npm, Python, Go and C) and in the 31,000 words that are at least 12 times in names and summaries of packages of npm and
 * PyPI, each weighted by the logarithm of its count. Left out: what is not among the first 12, or among 95 of 100.
 */
const NEXT_LETTERS = `
  ..sctpamdribef .arlsnpucdtmig .baueirolyscd .colahruesipmy .deiaorubysndc .exnvsmlrdactq .fioalruestd
  .geraoluicptsm .haeoiuytdmps .insmtdpocfa .jsoaueiwpqmdt .keiaonurlmych .lioaeulsdy .maeoiusypdlck
  .noeauisfdgptc .oprbnusfvctmd .praoyeliuhbps .quiatwrcolebm .reaouispfd .stepuichoyalw .teroaihyuws
  .untsprimlcdb .viaeoukpsmfdc .wiaeorhsc .xtmiacplesofx .yaoeutimgyfpb .zeosiatguhcpk aasrcdlapbtivg abliseoabur
  acktehciolar adedaiosmvlcjb aemrslagotndxf afeftroilkay ageisgnroam ahoeaiunrmljpk ainltrdmosxcg ajesaovi
  akeiasrotupy alliespauyotcg amepiadmsblo andtscgaineoky aostmbpahkcdez appihestalor aqutd artidsecakrgmy
  assethkmyicopa atieaotchus autldsrgn aveiaoxy awsalneikcd axioeayfwmplc ayeslobamipurw azeiyuoazm bascrlntbdgiyk
  bbielroyacsb bcolhsradpemju bdaiorbedf betralndehscx bfuioscrglaf bgreploa bhoaif binltogbrasdcp bjeca bkdieruo
  bleoiau bmiaoecpslt bneabfulod bootxlraundsmb bparfiymlqkoec bqlmpen braioeu bsdetcoyuipq btraeoiyncml
  bugitflsnrcd bveitmh bwaoirs bxmsotre bytplsebz bzirl caltpsnrcmdb cbcoilepardfsz cceouaigrlps cdkseihfcnapbo
  cesnrlpdmiabtf cfniugfsolabdm cgoierds cheaiormund cinatepolrfsdm cjsmkep ckesailobptrug clioaeu cmsdapeioclu
  cntuneovaphsic conmdrlupvsog cpuspracytligo cqulhr crieoayu csstepivrocygh ctiosueral cursltmbipa cvesbatpmxoz
  cwiedlao cxxtmlra cyctbpaslgr czeio datrnsplybcmed dboaulmcsietyg dcaorlchmstnpf ddrielosyabdmc dercsnlfpvdxtb
  dfiulosrmajtfe dgeiarm dhaeiocsdtlr dinsatcrfogvme djausoiem dkitmlashd dleiyocmpa dmiaeosrpxnd dnsaedoni
  docwmnrtuospgl dporaysildempu dquib draoieuys dshotceaypidns dthroayeulis dulcmprsanet dveaicoms dwaoirhe
  dxogfcld dynlseiabop dznao eadrtmslnckpbv ebusaorietcphl ectoukihaelr ediueagsdbropw eeptdnrbklsmzc efiealsfuor
  egriaeoumyg ehoaeuiqyb eingsvtrmdlpoc ejseao ekioeastlmy elelioapdystf emeaopbisucm entcdseagviuob
  eonrumpsfblgdc epltoraeishup equd ersaivternmcyf estsecoiphu etaersithcwoub eurestdcmipl eveiaots ewaroesilhpt
  extpecia eysbwpeocrflvh ezeoizumlva facsuilnrbktm fbuocaelsfbg fcnaoplhmgtsd fdesicarfxbwpo fercatesndli
  ffeiolsmurta fgeadilpru fhie filngecxrsta fjsu fkai floaeuiy fmtapslurm fnelosmvti forlnuocx fprosgptlyedaf
  fraeoi fsetsmycaluidx ftewsipyolamrc funlstzr fvae fwdolcer fxsa fyiujgel fzf gatnrmlcpbuigs gboiumarekblp
  gccoslemhrpdai gdbaecirsomkpl gensrtodmxlb gfliuamxospfw ggeirlayus ghtlbeowaup ginsctofelvarm gjs gkei
  gleoiayus gmeaotplis gnaioeusm goornvlastdbcp gptariuolsgy gquly graeoip gstulephimsnca gtheakorfpm guarliemnto
  gveai gwianoek gxsilrv gymprosa gziahkejl hanrstiplvmbdc hboaersu hcaholpsmir hdrboafeliwxsc herlamscdnetxi
  hfiurlts hgray hhouae hincspltgevmfr hjsaoy hkiadseuo hlieyoa hmaesiolcrd hnioesaun honrlotuspdmwg hpacukoepdry
  hqlu hroeia hstcimdelrpov httmseiwlaonhf hubnmgtfsraled hvifae hwaopce hypsdlbtrm hzte ialntsgbmrpd
  iblueriacosvpb icaeskotiryhl ideaigsdotluny iensrwldvtf ifiyfteaou ighniuaerosgmd ihoufa iidnfmciltrx ijsaimukre
  ikeiaotur ileilsdtaoyu imepaiumosd ingtedsiafkuvc ionsrtum iptseplayrhuic iqulamtc iretoacisrdmul issteichopamu
  iteyiahostculr iumsintb iveia iwiaeryod ixeitaspcbu iyauoe izeaio janrcvmxspizlb jbr jcolfs jdbeukgw jectnsrlk
  jfirf jhiu jitnsmrogeaukv jks jlia jmoelpbis jndi joibuysrkhntld jpegyslcp jqup jritnp jsoxpcdertfmsl jtdeo
  jusnpdmlrgixcj jvme jwtseka jytmu kagrnbtslifdmp kboaeilukdbs kcshoematld kdofbieruat kerytndeslhmba kfliorupwe
  kgrseaoluipb khaoimqteu kintelspdmcawo kjsa kkaoyei kleioya kmaselok knoaien korpnudfsivtal kpoiralte kqu
  kroaeiymud kstpheucyioajm ktoreihafny kupbrmstiznl kvims kwaroei kxw kylposwunatbfh kzewio latnrsybcgmiup
  lbaoreuy lcuohaierdsl ldesibaroctpfu lesrtacdnmxgvl lfoiralsebxtum lgoeariu lhoaeiut linbtcsezdgamf ljseo
  lkiesaodtnyh lleoiyasbum lmaesonfcqidut lnetadgyoc logcwauonrtsby lpheaitosf lqidu lreuopcaid lsetaoichplxmk
  ltieahsroyuc luesmgtardcxni lveima lwiaerocst lxmdgaeipt lysztfmnrpgiwl lzmoweyc matnrpilgcskx mbeoiladrus
  mcpaoletirshud mdaebsinolxcfg mentsrmdalcwo mfoyiulsaedt mgrmcuihftelpn mhoaeclqt minctszldpxgrm mjsmip
  mkdsilpavmcgwb mliersoydabtlx mmaeiouy mniesagondl modnrtvscluobj mploairuets mqptlu mripeosuacmtk
  msgatevcipshou mtpalsircoekud multnsxrmc mveascnipu mwaocisf mxnblpmciot myspctflamrejo mznea naltmgrnbpcvis
  nbsoaluiedpb ncehtoiyralu ndeioaslrubpm nertsdclxwnaue nfiolerus ngesilouratcbf nhaeou nitncsxzfmopae njeasuo
  nkeisnaloymdur nlioyeapdtum nmeaoprumlsc nneoiayt notrmdnswuvlip npuamyrolixgkj nqurc nreoiatuypws
  nstiepofucalhs nteisarolhuy numxtsalcienpo nveioast nwaeirobc nxtceridpj nymawltcxibpfd nzieoay oadrtsculmkn
  objsoaieulbtf ockaeoutsihcr odeuiaosybd oesnrxmftcbly offitoearlu ogriygnlesouaf ohoeatniqr oindsclrtz ojeisoa
  okesiuaomktl olloieasduvytk ompmeiaobnl onstefaivndogc oolktpsdnmrg opetsiyoaphulr oquoas ortemkdisaycgp
  osteiscpamouhy oteoiahstlyprf outrndspgb oveiao owsneiladocpf oxyiecfmdgl oymeasdio ozeoimyha partcnsgyildpb
  pboeiakusfy pcoahlisnturbf pdafoebiursxcm perncsdlaetp pfiulsaeryogc pgreopanvcsl phaioeysrq pinclpdertxsgk
  pjsrd pkgcietm plaeiou pmeasnicjodmr pngpsitoreua porslniowtpdu ppeliorcsyah pqcdeuig proei psetoiyuhcaxkl
  ptioesurayhc putblrsnpmi pvaeitpr pwanodris pxrsx pytcprsdmgalbo pzo qasvldtirp qbiluco qclotacm qdermxaq
  qemxcrldnt qfrtu qgir qhto qinsiwdufab qliamcpsdgrfx qmlctda qnatxr qodnbqros qplyarid qrtcased qsehdbpt
  qttyiogrhpu queaio qvlt qweia qxj qyl ratncpmilgdysb rboiaeyuslrx rcehoauil rdeisaulorfbcw resacdpnegftml
  rfaoceluisrm rgeasioupry rhoauyeiq rintcaepsbzvmg rjsua rkesilfdoubatm rlieayodlsf rmaiesoulwf rnaeisogmxf
  rounptcmlsbrwv rprcohaleitum rqulad rroaeiyu rseiotahpyc rtiesauhoylcrm runcslmbipted rveia rwiaelrh rxinjdae
  rypstiaobdkmwn rzeb sagnmltfbrvips sboaucyinemrxb scraohievul sdkoaeilbdsfmc sertsncladmqeg sfoeiuyrsatmdn
  sgirspealxtonf shaoieutmbrl siogntmscvdzbl sjsoaic skieysatlqrbfo sliaoeyutc smaioestlurbjp snauioedsm
  sonlurcmfpt speaolirhy sqlusr srecafiupostvd ssuiaeolwphm straeoisuydl suebprmlaisg svgcesmniatpd swiaeodcr
  sxwicgklx sysnmc sznlieo tatblnrcisgpmd tbosuaeril tchoplaus tdoiaeldbscmkv tesrdnxmlcga tfoilursymdat
  tgraeopiuzlb theoriuamslyct tionclvmfateps tjsam tkiewabcdto tleiyaospr tmaeloupicstq tneaiotxs tormonpcskgtud
  tpularosyidtkm tquds traieouy tstecapoiuyhdb tteipralyo tursabnptdmi tviafmbsd twoiear txtolim typlcs
  tzenmdojfbkaip ualrtngdsc ubsleimctbpjra uctkehilaco udieasgofbdptr uesrnutldpebi uffaojilte ugighaemsulor
  uhenauri uiltdrncsvpz ujusoi ukeiraouks ultaeliousnd umebpmaisoun unidctsnekaolg uoturpnbsm uppledstyigao uqu
  urecaisrnlovbf usteiahsclpb utioehastuplr uuimltuwp uvaeixbclmo uwsaeiuo uxtviedonlum uyiaeuc uzzbu valrtnsibcdp
  vbaonmhsu vcesocftpwrady vdseabkiotfr vernlsdcxm vfsyibuxr vgrseiogmu vhocu viscedntroalgv vjp vkio vliamloqctb
  vmwmoscaijtle vnepcnsi volicrtkusxynw vpcnioysar vqu vrotamsypd vscthsepunvdki vtoetakxmpcvn vuelsmku vvivya
  vwrco vxerpciv vyspmaxt vzo warytlsivnpgk wbieaorlb wcahowsp wdosieblrmfk webraeilsdn wflisrua wgrsepl whieao
  wintsdrklcpfz wjs wkehswvta wleiyoas wmaisufomc wnlesitwf worolnf wpoarldsx wqe wriaoe wsegliaopcts wthfoyte
  wupnkr wwwpia wxptya wysgoznk xamctrsibgpdnu xbolrayef xcelhouaic xdrobiugcaepsn xecrdslnm xfilomtuabr xgeblpu
  xhartsi xinmtscoaebvld xjsp xkcei xlsiewar xmlopieut xnoegau xonrpstdbcl xpolreai xraepudn xsltodasuehri
  xterusaoblmcij xustnrip xvifaenp xweiarh xxhxalmneis xyzglopsibh yamnrbluspgthd yboeauril ycolhaer ydrabeois
  yerdsnalexct yfiuralotep ygreolimawhu yhoaetiu yinoea yjswad ykeiou yleioalu ymbeaomlpictsd yncatoe
  younbplfrdmcos ypetoiahr yqtourl yrieoa ystcineqlpmyha ytehoirad yunitmbspakxgq yveiao ywoheira yxlepdu yydaj
  yzeira zatrbnplmigac zbeaou zcabmnops zduaer zerdnstplcb zfism zgo zhiaoqut zinplgoemb zjpso zkpsaoyn zleiy
  zmaoqsp zneao zonosdrphmt zptlepai zroau zsytoh ztyoef zurslpiuheok zveo zwai zxciw zymltxg zzlaeyido
`;
/** Bits of a letter that has this place among those that follow the two before it, from the same count. */
const BITS_BY_RANK = [1.8, 2.7, 3.2, 3.5, 3.9, 4.3, 4.6, 4.9, 5.2, 5.5, 5.9, 6.1] as const;
const BITS_OF_RARE_LETTER = 8.4;
/** In an abbreviation in capitals any letter may follow. */
const BITS_OF_CAPITAL = 4.7;
/** By the digit; names have small numbers. */
const BITS_OF_DIGIT = [4, 1.6, 1.8, 3, 3.8, 4, 3.8, 4.8, 3.8, 4.8] as const;

/** Bits of a kind of character after another one: names change between them at the starts of words and little else. */
const BITS_OF_CHANGE = {
  start: { lower: 0.7, upper: 1.6, digit: 6, mark: 6.5, end: 9 },
  lower: { lower: 0.2, upper: 3.6, digit: 6, mark: 4.5, end: 2.5 },
  upper: { lower: 0.5, upper: 3, digit: 6, mark: 6.5, end: 4 },
  digit: { lower: 2.5, upper: 2.5, digit: 2, mark: 3.5, end: 1.5 },
  mark: { lower: 0.3, upper: 2.5, digit: 4, mark: 6.5, end: 7 },
} as const;

type Kind = 'lower' | 'upper' | 'digit' | 'mark';

const LETTERS = 26;
/** The letters and the start of a word, which is 0. */
const BEFORE = LETTERS + 1;
const FIRST_LETTER = 'a'.charCodeAt(0);
const FIRST_DIGIT = '0'.charCodeAt(0);
/** The bit that a lower-case letter has and its capital has not. */
const LOWER_CASE = 32;

/** Bits of a letter by the two before it. */
const BITS_OF_LETTER = readBits();

function readBits(): Float32Array {
  const bits = new Float32Array(BEFORE * BEFORE * LETTERS).fill(BITS_OF_RARE_LETTER);
  for (const [first, second, ...following] of NEXT_LETTERS.trim().split(/\s+/)) {
    for (const [rank, letter] of following.entries()) {
      bits[letterIndex(letterNumber(first), letterNumber(second), letterNumber(letter))] =
        BITS_BY_RANK[rank] ?? BITS_OF_RARE_LETTER;
    }
  }
  return bits;
}

/** 1 for a; 0 for the start of a word. */
function letterNumber(letter = '.'): number {
  return letter === '.' ? 0 : letter.charCodeAt(0) - FIRST_LETTER + 1;
}

function letterIndex(first: number, second: number, letter: number): number {
  return (first * BEFORE + second) * LETTERS + letter - 1;
}

function kindOf(code: number): Kind {
  if (code >= 97 && code <= 122) return 'lower';
  if (code >= 65 && code <= 90) return 'upper';
  return code >= 48 && code <= 57 ? 'digit' : 'mark';
}

/** Bits of a text as words of English and of programs, in ASCII: few for `userSettings`, many for what is random. */
export function bitsOfWords(text: string): number {
  let bits = 0;
  let before: Kind | 'start' = 'start';
  let first = 0;
  let second = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const kind = kindOf(code);
    bits += BITS_OF_CHANGE[before][kind];
    if (startsWord(before, kind)) first = second = 0;
    if (kind === 'digit') bits += BITS_OF_DIGIT[code - FIRST_DIGIT] ?? 0;
    else if (kind !== 'mark') {
      const letter = (code | LOWER_CASE) - FIRST_LETTER + 1;
      const isAbbreviation = kind === 'upper' && before === 'upper';
      bits += isAbbreviation ? BITS_OF_CAPITAL : (BITS_OF_LETTER[letterIndex(first, second, letter)] ?? 0);
      first = second;
      second = letter;
    }
    before = kind;
  }
  return bits + BITS_OF_CHANGE[before].end;
}

function startsWord(before: Kind | 'start', kind: Kind): boolean {
  return before === 'digit' || before === 'mark' || (before === 'lower' && kind === 'upper');
}
