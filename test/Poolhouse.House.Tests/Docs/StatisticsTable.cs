namespace Poolhouse.House.Tests.Docs;

public sealed class StatisticsTable
{
    [Fact]
    public void The_table_names_every_counter() => Assert.Equal(
        typeof(PoolStatistics).GetProperties().Select(property => $"`{property.Name}`").Order(StringComparer.Ordinal),
        MarkdownFile.Read("docs", "concepts.md").Table("statistics").Select(row => row[0]).Order(StringComparer.Ordinal));
}
