namespace Poolhouse.Testing.Tests.Ldap;

/// <summary>Tests that run alone, because the native LDAP library blocks threads while the server needs some.</summary>
[CollectionDefinition(nameof(BlockingClients), DisableParallelization = true)]
public sealed class BlockingClients;
