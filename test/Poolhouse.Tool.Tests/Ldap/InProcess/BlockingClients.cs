namespace Poolhouse.Tool.Tests.Ldap.InProcess;

/// <summary>Tests with the native LDAP library, which run alone.</summary>
/// <remarks>
/// The signal of a child process that ends interrupts a thread that waits in the library, which then says that the server is down
/// (error 81).
/// Other tests run the programs of ldap-utils.
/// </remarks>
[CollectionDefinition(nameof(BlockingClients), DisableParallelization = true)]
public sealed class BlockingClients;
