using System.DirectoryServices.Protocols;
using System.Globalization;
using System.Net;
using Poolhouse;
using Poolhouse.Ldap;
using Poolhouse.Samples.PoolTests;

// LdapSearch 'Server=…; User Name=…; Password=…' BASE FILTER, or no arguments, to use a temporary server.
if (args is [var connectionString, var root, var filter])
{
    await using var named = new LdapConnectionPool(LdapPoolOptions.Parse(connectionString));
    await PrintAsync(named, new SearchRequest(root, filter, SearchScope.Subtree));
    return;
}

if (Slapd.Missing is { } missing)
{
    Console.WriteLine($"No directory: {missing}. Name one: LdapSearch CONNECTIONSTRING BASE FILTER.");
    return;
}

const string Base = Slapd.Base;
var reader = new NetworkCredential($"cn=reader,{Base}", Slapd.NewPassword());
var hosts = Enumerable.Range(1, 25)
    .Select(number => string.Create(CultureInfo.InvariantCulture, $"dn: cn=host{number},{Base}\nobjectClass: device\n"));
using var server = Slapd.Start(
    $"""
    dn: {reader.UserName}
    objectClass: simpleSecurityObject
    objectClass: organizationalRole
    userPassword: {reader.Password}

    {string.Join('\n', hosts)}
    """);

// snippet: ldap-builder
await using var pool = new LdapPoolBuilder("127.0.0.1")
    .UsePort(server.Port)
    .AuthenticateBy(AuthType.Basic)
    .AuthenticateAs(reader)
    .MaxPoolSizeIs(4)
    .ConnectionIdleTimeIs(TimeSpan.FromMinutes(5))
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
