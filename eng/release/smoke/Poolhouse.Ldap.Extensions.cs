// sdk: Microsoft.NET.Sdk.Web
using Poolhouse.Ldap;

var builder = WebApplication.CreateSlimBuilder();
builder.Services.AddLdapPool("directory", options => options.Servers.Add("ldap://127.0.0.1:1"));
await using var app = builder.Build();
var pool = app.Services.GetRequiredKeyedService<LdapConnectionPool>("directory");
Console.WriteLine(pool.Name == "directory" ? "OK Poolhouse.Ldap.Extensions" : "not OK");
