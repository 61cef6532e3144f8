using Microsoft.EntityFrameworkCore;

namespace Poolhouse.Samples.WebBench;

#pragma warning disable CA1812 // The factory of contexts makes them.
internal sealed class WorldContext(DbContextOptions<WorldContext> options) : DbContext(options)
#pragma warning restore CA1812
{
    public DbSet<World> World => Set<World>();

    public DbSet<Fortune> Fortune => Set<Fortune>();

    protected override void OnModelCreating(ModelBuilder modelBuilder)
    {
        modelBuilder.Entity<World>(world =>
        {
            world.ToTable("world");
            world.Property(each => each.Id).HasColumnName("id");
            world.Property(each => each.RandomNumber).HasColumnName("randomnumber");
        });
        modelBuilder.Entity<Fortune>(fortune =>
        {
            fortune.ToTable("fortune");
            fortune.Property(each => each.Id).HasColumnName("id");
            fortune.Property(each => each.Message).HasColumnName("message");
        });
    }
}
