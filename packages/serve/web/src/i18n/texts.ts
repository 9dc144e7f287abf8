/** Languages of the page; English is what is written in the code. */
export const languages = { en: 'English', de: 'Deutsch', ja: '日本語' } as const;
export type Language = keyof typeof languages;
export type Catalogue = Readonly<Record<string, string>>;

const storageKey = 'tiphys.language';
let catalogue: ReadonlyMap<string, string> = new Map();
let current: Language = 'en';

/** Texts of other languages are loaded by who reads them alone. */
const catalogues: Readonly<Record<Exclude<Language, 'en'>, () => Promise<Catalogue>>> = {
  de: () => import('./german/index.ts').then(({ german }) => german),
  ja: () => import('./japanese/index.ts').then(({ japanese }) => japanese),
};

const isLanguage = (text: string | null | undefined): text is Language =>
  text !== null && text !== undefined && Object.hasOwn(languages, text);

/** The language that was chosen, else the first of the browser's that there is. */
export function preferredLanguage(): Language {
  const chosen = localStorage.getItem(storageKey);
  if (isLanguage(chosen)) return chosen;
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en';
}

/** Loads the texts of a language, before anything is drawn. */
export async function loadTexts(language: Language): Promise<void> {
  current = language;
  catalogue = language === 'en' ? new Map() : new Map(Object.entries(await catalogues[language]()));
  if (typeof document !== 'undefined') document.documentElement.lang = language;
}

/** Remembers a language; the page is loaded anew with it. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(storageKey, language);
  window.location.reload();
}

export function currentLanguage(): Language {
  return current;
}

/** A text in the page's language, with `{name}` replaced by values; what has no translation is shown in English. */
export function t(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  const translated = catalogue.get(text) ?? text;
  return translated.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}
