using Microsoft.EntityFrameworkCore;

namespace Poolhouse.Samples.EfCoreApp;

internal sealed class Notes(DbContextOptions<Notes> options) : DbContext(options)
{
    public DbSet<Note> All => Set<Note>();
}
