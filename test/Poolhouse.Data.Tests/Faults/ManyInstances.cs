using System.Data.Common;
using MySqlConnector;
using Npgsql;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>I34: processes of one budget that are killed, stopped and started, judged by what the server counts.</summary>
public sealed class ManyInstances(OwnServer ownPostgres, OwnMariaDb ownMariaDb)
    : IClassFixture<OwnServer>, IClassFixture<OwnMariaDb>
{
    private const int Places = 20;
    private const int Processes = 4;
    private const double Fair = 0.95;

    // Two seconds.
    private const int Phase = 50;

    [Fact]
    public async Task Processes_share_the_places_of_a_PostgreSQL_role()
    {
        var postgres = await ownPostgres.StartAsync();
        var connectionString = await LimitedUser.CreateAsync(postgres, Places, "fleet");
        await using var judge = await FleetJudge.StartAsync(
            NpgsqlFactory.Instance, postgres.ConnectionString + ";Pooling=false",
            "SELECT application_name, count(*) FROM pg_stat_activity WHERE usename = 'fleet' GROUP BY 1");

        await JudgeAsync(judge, () => FleetProcess.Start(connectionString));

        Assert.InRange(judge.Most, Places - 1, Places);
        var refused = postgres.ReadLog().Split("too many connections for role").Length - 1;
        Assert.InRange(refused, 0, Processes);
    }

    [Fact]
    public async Task Processes_share_the_places_of_a_MariaDB_account()
    {
        var mariaDb = await ownMariaDb.StartAsync();
        var connectionString = await LimitedUser.CreateAsync(mariaDb, Places, "fleet");
        await using var judge = await FleetJudge.StartAsync(
            MySqlConnectorFactory.Instance, mariaDb.ConnectionString,
            // The list also shows sessions that are being refused or have just ended, so the server's limit is not checked by it.
            "SELECT INFO, COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'fleet' GROUP BY 1");

        await JudgeAsync(judge, () => FleetProcess.Start(connectionString, "--mysql"));
    }

    private static async Task JudgeAsync(FleetJudge judge, Func<FleetProcess> start)
    {
        var fleet = new List<FleetProcess>();
        try
        {
            for (var i = 0; i < Processes; i++)
            {
                fleet.Add(start());
            }

            await UntilSharedAsync(judge, Processes);

            // What a killed process held is used again.
            await fleet[0].KillAsync();
            await UntilSharedAsync(judge, Processes - 1);

            // A stopped process keeps what it holds; a newcomer gets its share from the others.
            var old = judge.Members.Keys.ToHashSet(StringComparer.Ordinal);
            fleet[1].Signal("STOP");
            fleet.Add(start());
            await Patience.UntilAsync(
                () => ValueTask.FromResult(judge.Members),
                members => members.Any(member => !old.Contains(member.Key) && member.Value >= 2), "a share for the newcomer");
            fleet[1].Signal("CONT");
            await UntilSharedAsync(judge, Processes);

            var outputs = await Task.WhenAll(fleet.Skip(1).Select(static process => process.EndAsync()));
            Assert.All(outputs, static output => Assert.DoesNotContain("failed", output, StringComparison.Ordinal));
            Assert.All(outputs, static output => Assert.Contains("served", output, StringComparison.Ordinal));
        }
        finally
        {
            foreach (var process in fleet)
            {
                await process.DisposeAsync();
            }
        }
    }

    /// <summary>Waits until all places but the spare one are used, and equally, for two seconds.</summary>
    private static async Task UntilSharedAsync(FleetJudge judge, int members)
    {
        await Patience.UntilAsync(
            async () =>
            {
                await judge.WaitAsync(1);
                return (judge.Members.Count, judge.FairnessOf(Phase / 2));
            },
            now => now.Count == members && judge.Last >= Places - 1 && now.Item2 >= Fair, $"{members} fair shares");
        await judge.WaitAsync(Phase);
        Assert.True(judge.FairnessOf(Phase) >= Fair, judge.Describe(Phase));
    }
}
