/** Words and lines as programs show them, the same for the same seed. */
export class Wording {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From `least` to `most`. */
  int(least: number, most: number): number {
    this.#state = (Math.imul(this.#state, 1_103_515_245) + 12_345) >>> 0;
    return least + Math.floor((this.#state / 2 ** 32) * (most - least + 1));
  }

  pick<Kind>(of: readonly Kind[]): Kind {
    const picked = of[this.int(0, of.length - 1)];
    if (picked === undefined) throw new Error("nothing to pick from");
    return picked;
  }

  word(): string {
    return this.pick(ENGLISH);
  }

  german(): string {
    return this.pick(GERMAN);
  }

  title(count: number): string {
    const words = Array.from({ length: count }, () => this.word()).join(" ");
    return words.slice(0, 1).toUpperCase() + words.slice(1);
  }

  sentence(isGerman = false): string {
    const words = Array.from({ length: this.int(6, 13) }, () => (isGerman ? this.german() : this.word()));
    const text = words.join(" ");
    return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${this.pick([".", ".", "?", "!"])}`;
  }

  digits(count: number): string {
    return Array.from({ length: count }, () => this.int(0, 9)).join("");
  }

  date(): string {
    return `20${this.int(10, 29)}-${this.two(12)}-${this.two(28)}`;
  }

  time(): string {
    return `${String(this.int(0, 23)).padStart(2, "0")}:${String(this.int(0, 59)).padStart(2, "0")}`;
  }

  two(most: number): string {
    return String(this.int(1, most)).padStart(2, "0");
  }

  address(): string {
    return [this.int(10, 223), this.int(0, 255), this.int(0, 255), this.int(1, 254)].join(".");
  }

  mail(): string {
    return `${this.word()}.${this.word()}@${this.word()}.${this.pick(["org", "net", "example"])}`;
  }

  amount(): string {
    return `${this.int(1, 999)}.${this.digits(3)},${this.digits(2)} €`;
  }

  /** A line as programs of terminals write it. */
  shellLine(): string {
    switch (this.int(0, 6)) {
      case 0:
        return `${this.word()}@${this.word()}${this.int(1, 99)}:~/${this.word()}/${this.word()}$ ${this.pick(["make -j4", "npm run", "ssh -v", "cp -r", "vi"])} ${this.word()}_${this.word()}.c`;
      case 1:
        return `drwxr-xr-x ${this.int(2, 40)} ${this.word()} wheel ${this.digits(5)} ${this.pick(["Jan", "Mar", "Aug", "Oct"])} ${this.int(10, 28)} ${this.time()} ${this.word()}-${this.int(1, 20)}.${this.int(0, 9)}`;
      case 2:
        return `[${this.digits(5)}.${this.digits(6)}] ${this.word()} ${this.digits(4)}:${this.two(31)}: ${this.sentence()}`;
      case 3:
        return `${this.word()}=${this.pick(['"', "'"])}${this.word()} ${this.word()}${'"'}; if (${this.word()} != ${this.int(0, 4096)}) { return; }`;
      case 4:
        return `+ ${this.word()}: ${this.address()} -> ${this.address()} #${this.digits(3)} ${this.int(1, 100)}% (${this.time()})`;
      case 5:
        return `Get:${this.int(1, 90)} http://${this.word()}.${this.word()}.org/${this.word()} ${this.word()} ${this.int(1, 9)}.${this.int(0, 30)}-${this.int(1, 9)} [${this.int(1, 999)} kB]`;
      default:
        return this.sentence();
    }
  }
}

const ENGLISH = (
  "able above across add alarm apple area back badge bank batch bird block board book bottle branch bridge bright build cable " +
  "calm camera card chart clear client clock cloud code colour copy corner count cover craft daily data desk detail display dock " +
  "door draft drive driver early edge email engine event extra family fast field figure file final fish flag floor focus form " +
  "fresh garden glass global grand green grid group guide half hammer hand harbour health height help hidden high hill home host " +
  "hour house index inside island item job joint journey jump junior keep kernel key kind king label lake large laser layer lemon " +
  "letter level light limit line list local lock log long lunch machine magic mail major manual map margin market match matrix " +
  "memory menu method middle mile mill minor mirror mobile model module money month motor mouse museum native night noise north " +
  "note number object ocean office offset open option orange order owner pack page panel paper parcel parser patch path pause " +
  "pencil phone photo pilot pixel plain plan plate plugin point power press price print process profile pump query queue quiet " +
  "radio rain random range ready record region remote river road robot room root round rule sample school screen script search " +
  "season second select sensor series server shade shape sharp shelf shift shop signal silver simple size small smart socket " +
  "solid sound source south space speed spring square stack stage start state station steam steel stone storm street string " +
  "summer switch symbol table target task team test ticket tiger timer token tool total touch tower track trade train tree " +
  "trigger turn union unit upper urban user valley value vector video view village visit voice volume wagon water weather web " +
  "week west wheel window winter wire wood world yellow zero zone"
).split(" ");

const GERMAN = (
  "Abend Ärger Apfel Bäcker Bahnhof Börse Brücke Bürger Büro dafür dürfen Echo Fähre Fenster fließen Frühling füllen Fuß Gebäude " +
  "Geräte Gespräch Gruß günstig Hälfte häufig heißen Höhe hören jährlich Jubiläum Käse Kaffee Küche kühl läuft Lösung Mädchen " +
  "mögen Möbel müssen nächste nötig öffentlich ohne Prüfung Quelle Rücksicht Säule schließen schön später stören süß Tür über " +
  "üben Übung ungefähr unterstützen Verkäufer vergrößern während wählen Wärme weiß Wörter würde zählen Zeit zurück zwölf mit von " +
  "und der die das nicht auch nur noch"
).split(" ");
