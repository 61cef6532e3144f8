using Microsoft.EntityFrameworkCore;

namespace Poolhouse.Samples.EfCoreApp;

#pragma warning disable CA1812 // Created by dependency injection.
internal sealed class Notes(DbContextOptions<Notes> options) : DbContext(options)
{
    public DbSet<Note> All => Set<Note>();
}
