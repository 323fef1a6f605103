"""The commands of ``brade-fast``, by theme; ``brade_fast.cli`` runs them."""
