import { t } from '../../i18n/texts.ts';
import { Icon } from '../common/icon.tsx';

export function FavouriteButton({ name, on, toggle }: { name: string; on: boolean; toggle: () => void }) {
  return (
    <button
      type="button"
      className="above star"
      aria-pressed={on}
      aria-label={t('Favourite {name}', { name })}
      onClick={toggle}
    >
      <Icon name="star" size={15} filled={on} />
    </button>
  );
}
