using System.DirectoryServices.Protocols;
using Poolhouse;
using Poolhouse.Ldap;

await using var pool = new LdapConnectionPool(new LdapPoolOptions
{
    Servers = { "ldap://127.0.0.1:1" },
    Pool = new ResourcePoolOptions { MaxSize = 1, RentTimeout = TimeSpan.FromMilliseconds(100) },
});
try
{
    await pool.SendAsync<SearchResponse>(new SearchRequest("", "(objectClass=*)", SearchScope.Base), CancellationToken.None);
}
catch (Exception failure) when (failure is LdapException or PoolTimeoutException or PoolUnavailableException)
{
    Console.WriteLine("OK Poolhouse.Ldap");
}
