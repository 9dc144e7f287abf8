// Loaded before a process of the kill campaign: its clock of the wall jumps by up to five minutes, forward and back, on SIGUSR2.
// Timers go on, as on a machine whose time is set.
const now = Date.now.bind(Date);
let offset = 0;
Date.now = () => now() + offset;
process.on('SIGUSR2', () => {
  offset = Math.round((((now() * 2654435761) % 1000) / 1000 - 0.5) * 600_000);
});
