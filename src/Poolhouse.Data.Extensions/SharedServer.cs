namespace Poolhouse.Data.Extensions;

/// <summary>The request of a pool for a budget.</summary>
/// <param name="Budget">The name of the budget.</param>
/// <param name="Places">A limit of the app, or null.</param>
internal sealed record SharedServer(string Budget, int? Places);
