using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Http.Studies;
using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Tests.Http;

public sealed class HttpVerdicts
{
    [Theory]
    [InlineData(4, 4, Outcome.Holds)]
    [InlineData(5, 4, Outcome.FallsShort)]
    [InlineData(4, 3, Outcome.FallsShort)]
    public void The_service_must_see_exactly_the_sockets_that_are_configured(double bulkhead, double shards, object outcome)
    {
        Trial[] trials = [Of(RivalNames.Poolhouse, bulkhead), Of(RivalNames.PoolhouseShards, shards), Of(RivalNames.OneClient, 8),
            Of(RivalNames.NewClient, 800)];
        Assert.Equal((Outcome)outcome, new HttpSockets().Judge(trials, planned: 4).Outcome);

        static Trial Of(string rival, double sockets) => Trial(rival, ("Sockets opened", sockets));
    }

    [Theory]
    [InlineData(400, 100, 50, Outcome.Holds)]
    [InlineData(400, 440, 50, Outcome.Holds)]
    [InlineData(400, 460, 50, Outcome.FallsShort)]
    [InlineData(400, 100, 210, Outcome.FallsShort)]
    public void A_bulkhead_must_double_the_answers_and_lose_to_no_other_limit(
        double own, double limited, double free, object outcome)
    {
        Trial[] trials = [Of(RivalNames.Poolhouse, own), Of(RivalNames.ConnectionLimit, limited), Of(RivalNames.NoLimit, free)];
        Assert.Equal((Outcome)outcome, new HttpOverload().Judge(trials, planned: 3).Outcome);

        static Trial Of(string rival, double rate) => Trial(rival, ("Answers in time during the overload", rate));
    }

    [Theory]
    [InlineData(1.2, 0, Outcome.Holds)]
    [InlineData(1.4, 0, Outcome.FallsShort)]
    [InlineData(0.5, 1, Outcome.FallsShort)]
    public void A_move_must_be_followed_in_time_and_without_an_error(double left, double failed, object outcome)
    {
        Trial[] trials = [Of(RivalNames.Poolhouse), Of(RivalNames.BlindLifetime), Of(RivalNames.OneClient)];
        Assert.Equal((Outcome)outcome, new HttpMove().Judge(trials, planned: 3).Outcome);

        Trial Of(string rival) =>
            Trial(rival, ("Old address left after", left), ("Requests that failed", failed), ("Sockets opened", 4));
    }

    private static Trial Trial(string rival, params (string Name, double Value)[] findings) =>
        new(rival, [], [.. findings.Select(each => new Finding(each.Name, each.Value, Quantity.Count, Expectation.None))]);
}
