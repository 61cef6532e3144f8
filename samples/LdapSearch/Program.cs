using System.DirectoryServices.Protocols;
using System.Globalization;
using System.Net;
using Poolhouse;
using Poolhouse.Ldap;
using Poolhouse.Testing;

// LdapSearch 'Server=…; User Name=…; Password=…' BASE FILTER, or nothing: then against a directory in this process.
if (args is [var connectionString, var root, var filter])
{
    await using var named = new LdapConnectionPool(LdapPoolOptions.Parse(connectionString));
    await PrintAsync(named, new SearchRequest(root, filter, SearchScope.Subtree));
    return;
}

const string Base = "dc=example,dc=org";
await using var server = LdapTestServer.Start();
server.Directory.Add($"cn=reader,{Base}", ("objectClass", "simpleSecurityObject"), ("objectClass", "organizationalRole"), ("userPassword", "for the reader"));
for (var number = 1; number <= 25; number++)
{
    var name = string.Create(CultureInfo.InvariantCulture, $"host{number}");
    server.Directory.Add($"cn={name},{Base}", ("objectClass", "device"), ("cn", name));
}

var reader = new NetworkCredential($"cn=reader,{Base}", "for the reader");

// snippet: ldap-builder
await using var pool = new LdapPoolBuilder("127.0.0.1")
    .UsePort(server.Port)
    .AuthenticateBy(AuthType.Basic)
    .AuthenticateAs(reader)
    .MaxPoolSizeIs(4)
    .ConnectionIdleTimeIs(minutes: 5)
    .Build();
// end snippet

await PrintAsync(pool, new SearchRequest(Base, "(&(objectClass=device)(cn=host2*))", SearchScope.OneLevel, "cn"));

// snippet: ldap-lease
using (Lease<PooledLdapConnection> lease = await pool.RentAsync())
{
    LdapConnection connection = lease.Value;
    var response = (CompareResponse)connection.SendRequest(new CompareRequest($"cn=host7,{Base}", "cn", "host7"));
    Console.WriteLine($"host7 is itself: {response.ResultCode}.");
}
// end snippet

using (var lease = await pool.RentAsync())
{
    try
    {
        lease.Value.Bind(new NetworkCredential($"cn=reader,{Base}", "a guess"));
    }
    catch (LdapException refused)
    {
        Console.WriteLine($"Refused: {refused.ErrorCode}.");
    }
}

Console.WriteLine($"The next one is {await pool.WhoAmIAsync()}, over {pool.GetStatistics().Created} connection.");

static async Task PrintAsync(LdapConnectionPool pool, SearchRequest request)
{
    var count = 0;
    await foreach (var entry in pool.SearchPagedAsync(request, pageSize: 3))
    {
        count++;
        Console.WriteLine(entry.DistinguishedName);
    }

    Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{count} entries."));
}
