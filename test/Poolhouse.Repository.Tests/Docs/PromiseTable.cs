namespace Poolhouse.Repository.Tests.Docs;

public sealed class PromiseTable
{
    private static readonly int[] _promises = [.. Enumerable.Range(1, 30), 33, 34];

    private static readonly IReadOnlyList<string[]> _rows = MarkdownFile.Read("docs", "concepts.md").Table("promises");

    [Fact]
    public void The_table_has_every_promise() =>
        Assert.Equal(_promises.Select(number => $"I{number}"), _rows.Select(row => row[0]));

    [Fact]
    public void Every_promise_that_a_family_makes_has_a_link_to_its_check() => Problems.AssertNone(
        from row in _rows
        where !row[2..].All(cell => cell is "–" or "not yet" || cell.Contains("](", StringComparison.Ordinal))
            || row[2..].All(cell => cell is "–")
        select string.Join(" | ", row));
}
