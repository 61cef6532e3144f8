using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Ldap.Studies;
using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Tests.Ldap;

public sealed class LdapVerdicts
{
    [Theory]
    [InlineData(0.1, 0.2, 5, 4, Outcome.Holds)]
    [InlineData(0.8, 0.2, 5, 4, Outcome.FallsShort)]
    [InlineData(0.1, 1.1, 5, 4, Outcome.FallsShort)]
    [InlineData(0.1, 0.2, 6, 4, Outcome.FallsShort)]
    [InlineData(0.1, 0.2, 5, 5, Outcome.FallsShort)]
    public void A_pool_must_save_a_quarter_of_the_mean_time_within_MaxSize_connections(
        double mean, double meanOfSmall, double used, double usedBySmall, object outcome)
    {
        Trial[] trials =
        [
            Of(RivalNames.Poolhouse, mean, used), Of(RivalNames.SmallPool, meanOfSmall, usedBySmall),
            Of(RivalNames.NewConnection, 1, 600),
        ];
        Assert.Equal((Outcome)outcome, new LdapOperations().Judge(trials, planned: 3).Outcome);

        static Trial Of(string rival, double mean, double used) => Trial(rival, ("Mean", mean), ("Connections used", used));
    }

    [Theory]
    [InlineData(0, 0, 5, Outcome.Holds)]
    [InlineData(1, 0, 5, Outcome.FallsShort)]
    [InlineData(0, 1, 5, Outcome.FallsShort)]
    [InlineData(0, 0, 21, Outcome.FallsShort)]
    public void Cancellations_must_lose_no_capacity_or_identity_and_cause_no_extra_connections(
        double lost, double strangers, double open, object outcome)
    {
        Trial[] trials =
        [
            Trial(
                RivalNames.Poolhouse,
                ("Capacity lost", lost), ("Operations not as the service", strangers), ("Open connections, at most", open)),
            Trial(RivalNames.NewConnection, ("Open connections, at most", 20)),
        ];
        Assert.Equal((Outcome)outcome, new LdapCancellations().Judge(trials, planned: 2).Outcome);
    }

    [Fact]
    public void A_server_that_does_not_count_its_connections_is_not_held_against_the_pool()
    {
        Trial[] trials =
        [
            Trial(RivalNames.Poolhouse, ("Capacity lost", 0), ("Operations not as the service", 0)),
            Trial(RivalNames.NewConnection, ("Capacity lost", 0)),
        ];
        var verdict = new LdapCancellations().Judge(trials, planned: 2);

        Assert.Equal(Outcome.Holds, verdict.Outcome);
        Assert.DoesNotContain("NaN", verdict.Text, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0.3, 0, Outcome.Holds)]
    [InlineData(0.6, 0, Outcome.FallsShort)]
    [InlineData(double.PositiveInfinity, 0, Outcome.FallsShort)]
    [InlineData(0.3, 1, Outcome.FallsShort)]
    public void After_a_restart_callers_are_served_soon_and_only_as_the_service(double recovery, double strangers, object outcome)
    {
        Trial[] trials = [Of(RivalNames.Poolhouse), Of(RivalNames.NewConnection), Of(RivalNames.HeldConnections)];
        Assert.Equal((Outcome)outcome, new LdapRestart().Judge(trials, planned: 3).Outcome);

        Trial Of(string rival) => Trial(
            rival, ("First answer after it is back", recovery), ("Operations not as the service", strangers), ("Errors", 3));
    }

    private static Trial Trial(string rival, params (string Name, double Value)[] findings) =>
        new(rival, [], [.. findings.Select(each => new Finding(each.Name, each.Value, Quantity.Count, Expectation.None))]);
}
