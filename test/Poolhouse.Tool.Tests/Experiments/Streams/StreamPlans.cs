using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Streams;

namespace Poolhouse.Tool.Tests.Experiments.Streams;

public sealed class StreamPlans
{
    [Fact]
    public void Every_required_length_is_measured_with_and_without_a_size_hint()
    {
        var cells = new StreamLengths().Plan(new BenchPlan(Quick: false, [1, 4], 4, Input: null));

        long[] lengths = [100, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 8 << 20];
        Assert.All(cells.GroupBy(cell => (cell.Scenario, cell.Threads)), part =>
            Assert.Equal(lengths, part.Select(cell => cell.Parameters[0])));
        Assert.Equal(
            [("length unknown", 1), ("length known", 1), ("length unknown", 4)],
            cells.Select(cell => (cell.Scenario, cell.Threads)).Distinct());
    }

    [Theory]
    [InlineData(typeof(StreamLengths))]
    [InlineData(typeof(StreamCopies))]
    public void All_rivals_read_what_was_written(Type type)
    {
        var experiment = (Experiment)Activator.CreateInstance(type)!;

        Assert.All(experiment.Plan(new BenchPlan(Quick: true, [1], 1, Input: null)), cell =>
            Assert.All(cell.Contenders, contender => Assert.Equal(cell.Parameters[0], Samples.SumOf(contender))));
    }

    [Fact]
    public void A_tiny_write_is_measured_per_write() => Assert.All(
        new StreamTinyWrites().Plan(new BenchPlan(Quick: true, [1], 1, Input: null)), cell =>
        {
            var perWrite = cell.Scenario == "WriteByte" ? 1 : 6;
            Assert.All(cell.Contenders, contender =>
                Assert.Equal(cell.Parameters[0] / perWrite, Samples.SumOf(contender)));
        });
}
