interface Policies {
  createPolicy(
    name: string,
    rules: { createHTML: (text: string) => string; createScriptURL: (url: string) => string },
  ): unknown;
}

/**
 * What may become markup or code, in browsers that ask (`require-trusted-types-for` of the page's policy): text without tags, which
 * style sheets in elements are, and scripts of workers that are files of the page.
 */
export function setTrustedTypes(): void {
  const { trustedTypes } = window as { trustedTypes?: Policies };
  trustedTypes?.createPolicy('default', {
    createHTML: (text) => {
      if (text.includes('<')) throw new TypeError('The page makes no elements of text');
      return text;
    },
    createScriptURL: (url) => {
      const { href } = new URL(url, document.baseURI);
      if (!href.startsWith(new URL('assets/', document.baseURI).href))
        throw new TypeError(`${href} is no script of the page`);
      return href;
    },
  });
}
