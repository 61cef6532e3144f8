using Microsoft.Extensions.DependencyInjection;
using Poolhouse.Extensions;

namespace Poolhouse.Repository.Tests.Docs;

/// <summary>The table of states in the hosting guide is the one by which health checks and pages judge pools.</summary>
public sealed class StateTable
{
    [Fact]
    public void The_guide_lists_every_state_with_its_health()
    {
        using var services = new ServiceCollection().AddObjectPool<object>().Services.BuildServiceProvider();
        var pool = services.GetRequiredService<IPools>().Single();
        var outage = new PoolOutage(DateTimeOffset.UnixEpoch, TimeSpan.Zero, new TimeoutException(), TimeSpan.FromSeconds(1));

        Assert.Equal(
            Enum.GetValues<PoolCondition>().Select(condition => (
                NameOf(condition),
                pool.GetHealth(new PoolFigures { Condition = condition, Outage = outage }).Status.ToString())),
            MarkdownFile.Read("docs", "guides", "hosting.md").Table("states").Select(row => (row[0], row[1].Split(',')[0])));
    }

    [Fact]
    public void Every_state_is_explained_by_its_name_and_no_explanation_shows_the_message_of_a_failure()
    {
        using var services = new ServiceCollection().AddObjectPool<object>().Services.BuildServiceProvider();
        var pool = services.GetRequiredService<IPools>().Single();
        var outage = new PoolOutage(
            DateTimeOffset.UnixEpoch, TimeSpan.Zero, new TimeoutException("Password=secret"), TimeSpan.FromSeconds(1));

        Assert.All(Enum.GetValues<PoolCondition>().Except([PoolCondition.Working]), condition =>
        {
            var text = pool.GetHealth(new PoolFigures { Condition = condition, Outage = outage }).Description!;
            Assert.StartsWith(NameOf(condition), text, StringComparison.OrdinalIgnoreCase);
            Assert.DoesNotContain("secret", text, StringComparison.Ordinal);
        });
    }

    private static string NameOf(PoolCondition condition) =>
        condition == PoolCondition.NoRoom ? "no room" : condition.ToString().ToLowerInvariant();
}
