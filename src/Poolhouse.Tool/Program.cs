using Poolhouse.Tool.Cli;

using var interruption = new Interruption();
var app = new App(ConsoleFactory.Create(), Console.Error, TimeProvider.System);
return await app.RunAsync(args, interruption.Token).ConfigureAwait(false);
