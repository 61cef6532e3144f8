using System.Globalization;
using Poolhouse.Tests.Servers;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Data.Tests.Servers;

/// <summary>
/// Every account of a machine reaches a server on loopback, and a PostgreSQL superuser runs programs as the server's account. So
/// no temporary server accepts a client without its password, and no other account can read the password.
/// </summary>
public sealed class ServerAccessControl
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Another_account_cannot_log_in_to_a_temporary_PostgreSQL()
    {
        OtherAccount.SkipUnlessPossible();
        await using var server = await PostgresServer.StartOwnAsync();

        Assert.Equal(0, await LogInAsync(server.Port, server.User, server.Password));
        foreach (var user in (string[])[server.User, "postgres"])
        {
            foreach (var guess in (string[])["", user, "password"])
            {
                Assert.NotEqual(0, await LogInAsync(server.Port, user, guess));
            }
        }

        await OtherAccount.AssertCannotReadAsync(server.Folder, "data/pg_hba.conf");
        OtherAccount.AssertDoesNotShow(server.ProcessId, server.Password);
    }

    [Fact]
    public async Task Another_account_cannot_log_in_to_a_temporary_PgBouncer()
    {
        OtherAccount.SkipUnlessPossible();
        await using var server = await PostgresServer.StartOwnAsync();
        await using var bouncer = await PostgresServer.StartBouncerAsync(server, poolSize: 1);

        Assert.Equal(0, await LogInAsync(bouncer.Port, server.User, server.Password));
        foreach (var database in (string[])["postgres", "pgbouncer"])
        {
            foreach (var user in (string[])[server.User, "pgbouncer"])
            {
                Assert.NotEqual(0, await LogInAsync(bouncer.Port, user, "", database));
            }
        }

        await OtherAccount.AssertCannotReadAsync(bouncer.Folder, "pgbouncer.ini");
    }

    [Fact]
    public async Task Another_account_cannot_log_in_to_a_temporary_slapd()
    {
        OtherAccount.SkipUnlessPossible();
        Assert.SkipUnless(TemporarySlapd.TryFind(out var reason), reason);
        Assert.SkipUnless(ServerPrograms.Find("ldapwhoami") is not null, "ldapwhoami (of ldap-utils) is not installed");
        await using var server = await TemporarySlapd.StartAsync(cancellationToken: Token);

        Assert.Equal(0, await BindAsync(server.AdminPassword));
        foreach (var guess in (string[])["admin", "secret", "for the administrator"])
        {
            Assert.NotEqual(0, await BindAsync(guess));
        }

        await OtherAccount.AssertCannotReadAsync(server.Folder, "slapd.conf");
        OtherAccount.AssertDoesNotShow(server.ProcessId, server.AdminPassword);

        // The password goes by a file that the other account makes for itself: command lines are public.
        Task<int> BindAsync(string password) => OtherAccount.RunWithAsync(
            new() { ["LDAP_PASSWORD"] = password },
            "/bin/sh",
            "-c",
            "umask 077; file=$(mktemp) && printf %s \"$LDAP_PASSWORD\" > \"$file\" && \"$@\" -y \"$file\"; code=$?; rm -f " +
            "\"$file\"; exit $code",
            "sh",
            ServerPrograms.Find("ldapwhoami")!,
            "-x",
            "-H",
            string.Create(CultureInfo.InvariantCulture, $"ldap://127.0.0.1:{server.Port}"),
            "-D",
            server.AdminDn);
    }

    [Fact]
    public void No_two_servers_have_the_same_password()
    {
        var passwords = Enumerable.Range(0, 100).Select(_ => new TemporaryPostgresOptions().Password)
            .Concat(Enumerable.Range(0, 100).Select(_ => new TemporarySlapdOptions().AdminPassword)).ToList();

        Assert.Equal(200, passwords.Distinct(StringComparer.Ordinal).Count());
        Assert.All(passwords, password => Assert.Equal(32, password.Length));
    }

    private static Task<int> LogInAsync(int port, string user, string password, string database = "postgres")
    {
        var psql = ServerPrograms.Find("psql");
        Assert.SkipWhen(psql is null, "psql is not installed");
        return OtherAccount.RunWithAsync(
            new() { ["PGPASSWORD"] = password, ["PGPASSFILE"] = "/dev/null" },
            psql!,
            "-w", "-X", "-h", "127.0.0.1", "-p", port.ToString(CultureInfo.InvariantCulture), "-U", user, "-d", database, "-c",
            "SHOW client_encoding");
    }
}
