using Microsoft.EntityFrameworkCore;

namespace Poolhouse.Samples.WebBench;

internal sealed class WorldContext(DbContextOptions<WorldContext> options) : DbContext(options)
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
