using System.Collections.Concurrent;
using System.DirectoryServices.Protocols;
using Poolhouse.Ldap.Tests.Servers;

namespace Poolhouse.Ldap.Tests.Settings;

public sealed class Secrets
{
    [Fact]
    public async Task No_text_of_a_pool_contains_a_password_or_a_name()
    {
        await using var directory = InProcessDirectory.Start();
        var said = new Log();
        await using var pool = directory.Pool(options =>
        {
            options.Password = "wr0ng-Password";
            options.Pool.Observer = options.VerifyPool.Observer = said;
        });
        var token = TestContext.Current.CancellationToken;

        var failure = await Assert.ThrowsAsync<LdapException>(async () => await pool.WhoAmIAsync(token));
        await pool.AuthenticateAsync(Entries.Ann, "wr0ng-too", token);

        // Reported after the caller has gone on.
        await Patience.UntilAsync(() => said.Lines.Count >= 2, "both creations are reported");
        var all = string.Join(
            '\n', [failure.ToString(), pool.Name, pool.GetStatistics().ToString(), pool.GetVerifyStatistics().ToString(),
                .. said.Lines]);
        Assert.All(
            ["wr0ng", Entries.Service, Entries.Ann], secret => Assert.DoesNotContain(secret, all, StringComparison.Ordinal));
    }

    private sealed class Log : ResourcePoolObserver
    {
        public ConcurrentQueue<string> Lines { get; } = new();

        public override void OnCreated(in ItemCreatedArgs created) => Lines.Enqueue(created.ToString());

        public override void OnCreateFailed(in ItemCreateFailedArgs failed) => Lines.Enqueue(failed.ToString());
    }
}
