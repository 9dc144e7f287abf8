export { compileGlob, isGlob, type Matcher, matchNegatable, matchPath } from './glob.ts';
export { matchListed } from './list.ts';
