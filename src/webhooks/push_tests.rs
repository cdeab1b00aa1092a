//! A device hears through a push service that is no friend: what it reads, and what becomes of it.
