using Microsoft.EntityFrameworkCore;

namespace Poolhouse.Samples.Shop;

internal sealed class ShopContext(DbContextOptions<ShopContext> options) : DbContext(options)
{
    public DbSet<Order> Orders => Set<Order>();

    protected override void OnModelCreating(ModelBuilder modelBuilder) => modelBuilder.Entity<Order>(order =>
    {
        order.ToTable("orders");
        order.Property(each => each.Id).HasColumnName("id");
        order.Property(each => each.Customer).HasColumnName("customer");
        order.Property(each => each.Cup).HasColumnName("cup");
        order.Property(each => each.Count).HasColumnName("count");
    });
}
