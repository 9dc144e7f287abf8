export { compileGlob, type Matcher, matchNegatable, matchPath } from './glob.ts';
