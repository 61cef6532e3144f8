using System.Reflection;
using Poolhouse.Http;
using Poolhouse.Workers;

namespace Poolhouse.Repository.Tests.Docs;

public sealed class StatisticsTable
{
    [Fact]
    public void The_table_names_every_counter() => Assert.Equal(
        Names(typeof(CachePoolStatistics)), Documented(MarkdownFile.Read("docs", "concepts.md").Table("statistics")));

    [Fact]
    public void The_table_of_resource_pools_names_every_counter() => Assert.Equal(
        Names(typeof(ResourcePoolStatistics)),
        Documented(MarkdownFile.Read("docs", "guides", "resources.md").Table("statistics: ResourcePoolStatistics")));

    [Fact]
    public void The_table_of_servers_names_every_property() => Assert.Equal(
        Names(typeof(ServerStatistics<>)),
        Documented(MarkdownFile.Read("docs", "guides", "resources.md").Table("statistics: ServerStatistics")));

    [Fact]
    public void The_table_of_a_sharded_handler_names_every_counter() => Assert.Equal(
        Names(typeof(ShardedHandlerStatistics)),
        Documented(MarkdownFile.Read("docs", "guides", "http.md").Table("statistics: ShardedHandlerStatistics")));

    [Fact]
    public void The_table_of_worker_pools_names_every_counter() => Assert.Equal(
        Names(typeof(WorkerPoolStatistics)),
        Documented(MarkdownFile.Read("docs", "guides", "workers.md").Table("statistics: WorkerPoolStatistics")));

    [Fact]
    public void The_table_of_shared_pools_names_every_counter() => Assert.Equal(
        Names(typeof(SharedResourcePoolStatistics)),
        Documented(MarkdownFile.Read("docs", "guides", "shared.md").Table("statistics: SharedResourcePoolStatistics")));

    [Fact]
    public void The_table_of_bulkheads_names_every_counter() => Assert.Equal(
        Names(typeof(BulkheadStatistics)),
        Documented(MarkdownFile.Read("docs", "guides", "http.md").Table("statistics: BulkheadStatistics")));

    private static IEnumerable<string> Names(Type statistics) => statistics
        .GetProperties(BindingFlags.Public | BindingFlags.Instance)
        .Select(property => $"`{property.Name}`").Order(StringComparer.Ordinal);

    private static IEnumerable<string> Documented(IReadOnlyList<string[]> table) =>
        table.SelectMany(row => row[0].Split(", ")).Order(StringComparer.Ordinal);
}
