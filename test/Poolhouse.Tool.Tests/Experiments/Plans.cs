using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Objects;
using Poolhouse.Tool.Bench.Objects.Files;

namespace Poolhouse.Tool.Tests.Experiments;

public sealed class Plans
{
    [Fact]
    public void The_matrix_has_every_required_cell()
    {
        var cells = new RentalMatrix().Plan(new BenchPlan(Quick: false, [1, 8], 8, Input: null));

        Assert.Equal(2 * 2 * 7 * 3, cells.Count);
        Assert.Equal([2, 8, 16, 32, 256, 1024, 2048], cells.Select(cell => cell.Parameters[0]).Distinct().Order());
        Assert.Equal([0, 8, 16], cells.Select(cell => cell.Parameters[1]).Distinct().Order());
    }

    [Theory]
    [InlineData(2, 0, 1)]
    [InlineData(2, 0, 8)]
    [InlineData(8, 0, 8)]
    [InlineData(32, 8, 3)]
    [InlineData(2048, 16, 256)]
    public void All_threads_together_exceed_the_pool_by_the_overflow(int maxRetained, int overflow, int threads)
    {
        var contenders = ItemContenders.Drains(maxRetained, overflow);

        Assert.All(contenders, contender =>
        {
            contender.Start(threads);
            Assert.InRange(
                contender.OperationsIn(1), Math.Max(threads, maxRetained + overflow), maxRetained + overflow + threads);
            contender.Stop();
        });
    }

    [Fact]
    public void By_default_the_thread_counts_double_up_to_32()
    {
        Assert.Equal([1, 2, 4, 8, 16, 32], BenchPlan.Create(quick: false, threads: null, input: null).Threads);
        Assert.Equal([3, 5], BenchPlan.Create(quick: true, threads: [3, 5], input: null).Threads);
    }

    [Fact]
    public void All_rivals_read_the_same_words_and_bytes()
    {
        using var folder = new TemporaryFolder();
        folder.Write("a.xml", "<a>one two <b>three</b></a>");
        folder.Write("b.xml", string.Concat(Enumerable.Repeat("<p>many words in here</p>\n", 2_000)));
        var plan = new BenchPlan(Quick: true, [1], 1, folder.At());
        var contenders = new FileReading().Plan(plan)[0].Contenders;

        long[] sums = [.. contenders.Select(Samples.SumOf)];

        Assert.NotEqual(0, sums[0]);
        Assert.Equal(sums[0], sums[1]);
        Assert.Equal(sums[0], sums[2]);
    }

    [Fact]
    public void Words_are_counted_outside_markup_and_across_chunks()
    {
        var builder = new System.Text.StringBuilder(16);
        FileReader.AppendText(
            builder, "<doc>" + string.Concat(Enumerable.Repeat("alpha <b x='not this'/>beta, ", 500)) + "</doc> end <unclosed");

        Assert.Equal(1001, FileReader.CountWords(builder));
    }
}
